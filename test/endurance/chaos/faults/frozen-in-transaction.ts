import type { Scenario } from '../scenario'

/** SIGSTOP during a transaction: the session waits for the next statement and holds its row locks. */
export const scenario: Scenario = {
  promise: 'rows that a frozen worker has locked are free within 8 s',
  roles: ['worker', 'worker'],
  run: async ({ queue, sql, role, countEnded, recovers }) => {
    const [id = ''] = await queue(1)
    const [job] = await sql<{ source: string; parcel: string }[]>`
      select source, source_parcel_id as parcel from scrape_jobs where id = ${id}`
    if (job === undefined) throw new Error('there is no job')
    const isFree = async () => {
      await sql`select from scrape_jobs where id = ${id} for update nowait`
      await sql`select from parcels where source = ${job.source} and source_parcel_id = ${job.parcel} for update nowait`
      return true
    }
    // The worker that stores the scrape waits for this lock in its transaction, and is frozen there.
    await sql.begin(async (tx) => {
      const [own] = await tx<{ pid: number }[]>`
        select pg_backend_pid() as pid from parcels where source = ${job.source} and source_parcel_id = ${job.parcel} for update`
      const isWaiting = async () =>
        (
          await sql`select from pg_stat_activity where application_name = 'worker' and ${own?.pid ?? 0} = any(pg_blocking_pids(pid))`
        ).length > 0
      await recovers('a worker stores its scrape', isWaiting, 30_000)
      for (const name of ['worker-1', 'worker-2']) role(name).freeze()
    })
    await recovers('it holds its rows', async () => !(await isFree().catch(() => false)), 2_000)
    await recovers('its rows are free', isFree, 8_000)
    for (const name of ['worker-1', 'worker-2']) role(name).thaw()
    await recovers('the job ends', async () => (await countEnded()) === 1, 60_000)
  },
}

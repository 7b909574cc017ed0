import type { Scenario } from '../scenario'

const STORM_MS = 15_000

/** pg_terminate_backend repeatedly, as by an operator, a failover or a pooler, also during transactions. */
export const scenario: Scenario = {
  promise: 'ending sessions repeatedly loses no job and no pool connection, and every process is ready afterwards',
  roles: ['api', 'worker', 'worker', 'sync'],
  run: async ({ queue, roles, sql, call, countEnded, recovers, say }) => {
    const jobs = 400
    await queue(jobs)
    await recovers('the first jobs end', async () => (await countEnded()) >= 10, 30_000)
    const until = performance.now() + STORM_MS
    let ended = 0
    while (performance.now() < until) {
      const victims = await sql`
        select pg_terminate_backend(pid) from (
          select pid from pg_stat_activity
          where application_name in ('api', 'api-heavy', 'worker', 'search-sync') and datname = current_database()
          order by random() limit 2
        ) victims`
      ended += victims.length
      await Bun.sleep(100)
    }
    say(`${ended} sessions were ended`)
    await recovers('requests are answered', async () => (await call('/v1/sources?limit=1')).status === 200, 5_000)
    await recovers(
      'every process is ready',
      async () => (await Promise.all(roles.map(({ isReady }) => isReady()))).every(Boolean),
      10_000,
    )
    await recovers('every job ends', async () => (await countEnded()) === jobs, 90_000)
  },
}

import { ADMIN_KEY } from '../../soak/load'
import { sourceOf } from '../../soak/servers'
import type { Scenario } from '../scenario'

const KEY = 'killed-after-commit'
/** How long the database's answers to the first API process take: it is killed before it learns that it has committed. */
const DELAY_MS = 150

export const scenario: Scenario = {
  promise:
    'an order whose response was lost after the commit can be repeated at another process without queueing twice',
  roles: ['api', 'api', 'worker'],
  run: async ({ sql, role, recovers, say }) => {
    const orders = await sql<{ source: string; source_parcel_id: string }[]>`
      select source, source_parcel_id from parcels where source = ${sourceOf(0)} order by id limit 20`
    const order = (api: string) =>
      fetch(`${role(api).url}/v1/scrape-jobs`, {
        method: 'POST',
        headers: { 'x-service-key': ADMIN_KEY, 'content-type': 'application/json', 'idempotency-key': KEY },
        body: JSON.stringify(orders),
        signal: AbortSignal.timeout(20_000),
      })
    const ids = async () =>
      (await sql<{ id: string }[]>`select id from scrape_jobs where source = ${sourceOf(0)} order by id`).map(
        ({ id }) => id,
      )

    role('api-1').links.postgres.delay(DELAY_MS)
    const lost = order('api-1').then(
      ({ status }) => `answered ${status}`,
      () => 'lost',
    )
    await recovers('the jobs are committed', async () => (await ids()).length === orders.length, 10_000)
    await role('api-1').kill('SIGKILL')
    role('api-1').links.postgres.pass()
    say(`the first answer: ${await lost}`)
    const queued = await ids()
    await recovers(
      'the repeated order returns the same jobs',
      async () => {
        const response = await order('api-2')
        const { jobs } = (await response.json()) as { jobs: { id: string }[] }
        return (
          response.ok &&
          jobs
            .map(({ id }) => id)
            .sort()
            .join() === queued.join()
        )
      },
      10_000,
    )
    await recovers(
      'every job ends',
      async () => (await sql`select from scrape_jobs where status in ('queued', 'running')`).count === 0,
      40_000,
    )
    const again = await order('api-2')
    if (again.headers.get('idempotent-replayed') !== 'true') throw new Error('the repeat was carried out')
    if ((await ids()).length !== orders.length) throw new Error('the repeat queued jobs again')
    await role('api-1').start()
  },
}

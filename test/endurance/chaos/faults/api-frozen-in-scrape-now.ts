import { ADMIN_KEY } from '../../soak/load'
import { sourceOf } from '../../soak/servers'
import type { Scenario } from '../scenario'

/** The portal answers immediately, so the database is slowed down to freeze the process before it stores. */
const DELAY_MS = 100
const AFTER_MS = 10_000

export const scenario: Scenario = {
  promise: 'a scrape-now whose process freezes is completed by another process: the repeated key stores one scrape',
  roles: ['api', 'api', 'worker'],
  run: async ({ sql, role, recovers }) => {
    const [parcel] = await sql<{ id: string }[]>`
      select source_parcel_id as id from parcels where source = ${sourceOf(1)} order by id limit 1`
    const scrape = (api: string) =>
      fetch(`${role(api).url}/v1/parcels/${sourceOf(1)}/${parcel?.id}/scrape-now`, {
        method: 'POST',
        headers: { 'x-service-key': ADMIN_KEY, 'idempotency-key': 'frozen' },
        signal: AbortSignal.timeout(70_000),
      })
    const jobs = () => sql<{ status: string; attempts: number }[]>`
      select status, attempts from scrape_jobs where source_parcel_id = ${parcel?.id ?? ''}`

    role('api-1').links.postgres.delay(DELAY_MS)
    const late = scrape('api-1').catch(() => null)
    await recovers('the scrape runs', async () => (await jobs()).some(({ status }) => status === 'running'), 15_000)
    role('api-1').freeze()
    await recovers('the repeat has the result', async () => (await scrape('api-2')).ok, 30_000)
    role('api-1').thaw()
    role('api-1').links.postgres.pass()
    await late
    await Bun.sleep(AFTER_MS)
    const ended = await jobs()
    if (ended.length !== 1 || ended[0]?.status !== 'done') throw new Error(`jobs of the key: ${JSON.stringify(ended)}`)
    const [{ scrapes } = { scrapes: 0 }] = await sql<{ scrapes: number }[]>`
      select count(*)::int as scrapes from scrape_attempts join scrape_jobs on id = job_id
      where source_parcel_id = ${parcel?.id ?? ''} and outcome = 'done'`
    if (scrapes !== 1) throw new Error(`${scrapes} scrapes were stored`)
  },
}

import { expect, test } from 'bun:test'
import { ScrapeError } from '../../../../adapters/scrape-error'
import { requeueExpiredJobs } from '../../../../drizzle/queries/jobs/dispatch/requeue-expired-jobs'
import { claimJobs } from '../../../../drizzle/queries/jobs/run/claim-jobs'
import { review } from '../../../../src/scrape/review/review'
import { storeScrape } from '../../../../src/scrape/store/store-scrape'
import { insertSource, insertVendor } from '../../../jobs/job-rows'
import { createTestAdapter, scraped } from '../../../jobs/test-adapter'
import { WAIT_TIMEOUT_MS } from '../../../support/deadlines'
import { waitFor } from '../../../support/servers'
import { createTestApp } from '../../test-app'

/* Idempotency-Key of scrape-now: one key stores one scrape, however often the request is repeated. */

const first = await createTestApp({ scrapeLease: { leaseMs: 1_000, heartbeatMs: 60_000 } })
const { sql } = first
const second = await createTestApp({ sql })
await insertVendor(sql, 'test', 2)
await insertSource(sql, 'elm', 'test')
await sql`create table stored (parcel text)`
await sql`
  create function note() returns trigger language plpgsql as $$ begin
    insert into stored values (new.source_parcel_id);
    return null;
  end $$`
await sql`create trigger stored after insert or update of scraped_at on parcels for each row execute function note()`

const scrape = (app: typeof first, parcel: string, key = parcel) =>
  app.call(`/v1/parcels/elm/${parcel}/scrape-now`, { method: 'POST', headers: { 'idempotency-key': key } })
/** Repeats the request as the response 409 says, while a worker has the job. */
const repeat = async (parcel: string) => {
  const startedAt = Date.now()
  for (;;) {
    const answer = await scrape(second, parcel)
    if (answer.status !== 409 || Date.now() - startedAt > WAIT_TIMEOUT_MS) return answer
    await Bun.sleep(20)
  }
}
const jobsOf = (parcel: string) => sql`select id, status, attempts from scrape_jobs where source_parcel_id = ${parcel}`
const timesStored = async (parcel: string) => (await sql`select from stored where parcel = ${parcel}`).count

/** An adapter whose fetches wait until the test releases them. */
const heldAdapter = () => {
  const gate = Promise.withResolvers<void>()
  let fetches = 0
  const adapter = createTestAdapter(async ({ sourceParcelId }) => {
    fetches++
    await gate.promise
    return scraped(sourceParcelId)
  })
  return { adapter, letGo: gate.resolve, fetches: () => fetches }
}

test('a process that freezes during a scrape stores nothing after its job was done elsewhere; repeating the request returns that result', async () => {
  const held = heldAdapter()
  first.useAdapter(held.adapter)
  const frozen = scrape(first, 'frozen')
  await waitFor(async () => (await jobsOf('frozen')).length === 1)
  expect((await scrape(second, 'frozen')).status).toBe(409)
  // Its lease expires, and the dispatcher gives the job to a worker.
  await waitFor(async () => (await requeueExpiredJobs(sql, { at: Date.now(), maxAttempts: 3, limit: 10 })) === 1)
  const repeated = repeat('frozen')
  const [lost] = await jobsOf('frozen')
  const [job] = (await claimJobs(sql, [{ id: lost?.id, attempts: 1 }], 60_000)).claimed
  if (job === undefined) throw new Error('no job to claim')
  const { id, attempt, source, sourceParcelId } = job
  const brought = { vendor: 'test', scraped: scraped('frozen') }
  await storeScrape(sql, { review, job: { id, attempt }, source, sourceParcelId, ...brought })
  expect(await repeated).toMatchObject({ status: 200, body: { source_parcel_id: 'frozen' } })
  held.letGo()
  expect((await frozen).status).toBe(502)
  expect(await timesStored('frozen')).toBe(1)
  expect(await jobsOf('frozen')).toMatchObject([{ status: 'done', attempts: 2 }])
  const replayed = await scrape(second, 'frozen')
  expect(replayed.headers.get('idempotent-replayed')).toBe('true')
})

test('a response that was not stored is rebuilt from the job without another scrape', async () => {
  first.useAdapter(createTestAdapter())
  const answer = await scrape(first, 'lost')
  expect(answer.status).toBe(200)
  await sql`update idempotency_keys set status = null, body = null where idempotency_key = 'lost'`
  expect(await scrape(second, 'lost')).toMatchObject({ status: 200, text: answer.text })
  expect(await jobsOf('lost')).toHaveLength(1)
  expect(await timesStored('lost')).toBe(1)
})

test('parallel requests with one Idempotency-Key make one job', async () => {
  const held = heldAdapter()
  first.useAdapter(held.adapter)
  second.useAdapter(held.adapter)
  const calls = Array.from({ length: 10 }, (_, index) => scrape(index % 2 === 0 ? first : second, 'at-once'))
  await waitFor(() => held.fetches() > 0)
  held.letGo()
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses).toContain(200)
  expect(statuses.every((status) => status === 200 || status === 409)).toBe(true)
  expect(held.fetches()).toBe(1)
  expect(await jobsOf('at-once')).toHaveLength(1)
})

test('a failed scrape is retried with the same Idempotency-Key', async () => {
  first.useAdapter(
    createTestAdapter(async () => {
      throw new ScrapeError('maintenance', 'the portal is closed')
    }),
  )
  expect((await scrape(first, 'failed')).status).toBe(502)
  first.useAdapter(createTestAdapter())
  expect((await scrape(first, 'failed')).status).toBe(200)
  expect(await jobsOf('failed')).toHaveLength(2)
})

test('a job for a portal that needs a browser is queued once per Idempotency-Key, even if it ended before the repeat', async () => {
  first.useAdapter({ ...createTestAdapter(), needsBrowser: true })
  const queued = await scrape(first, 'browser')
  expect(queued.status).toBe(503)
  await sql`update scrape_jobs set status = 'done' where source_parcel_id = 'browser'`
  const again = await scrape(first, 'browser')
  expect(again).toMatchObject({ status: 503, body: queued.body })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await jobsOf('browser')).toHaveLength(1)
})

test('a key of the day before scrapes again, and then returns that result for a day', async () => {
  first.useAdapter(createTestAdapter())
  expect((await scrape(first, 'yesterday')).status).toBe(200)
  await sql`update idempotency_keys set created_at = now() - interval '25 hours' where idempotency_key = 'yesterday'`
  const again = await scrape(first, 'yesterday')
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, null])
  expect((await scrape(second, 'yesterday')).headers.get('idempotent-replayed')).toBe('true')
  expect(await jobsOf('yesterday')).toHaveLength(2)
})

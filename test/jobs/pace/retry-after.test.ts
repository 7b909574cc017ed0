import { beforeAll, expect, test } from 'bun:test'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { expectPage } from '../../../adapters/reading/page/expect-page'
import { listTunerRows } from '../../../drizzle/queries/tuner/tuner-cycle'
import { SETTLE_SHARE } from '../../../src/scrape/tuner/settled-at'
import { startPortal } from '../../adapters/portal'
import { createTestDatabase, waitFor } from '../../support/servers'
import { countByStatus, enqueue, insertSource, insertVendor } from '../job-rows'
import { createTestAdapter, scraped } from '../test-adapter'
import { createPortalJobs } from './portal-jobs'

const JOBS = 20
const RETRY_AFTER_S = 2

const { url, sql } = await createTestDatabase()
await insertVendor(sql, 'test', 8)
await insertSource(sql, 'elm', 'test')

/** Refuses only the fifth page request, and the parcel `long` for 30 days. */
const portal = startPortal((request) => {
  if (request.url.endsWith('/robots.txt')) return new Response(null, { status: 404 })
  if (request.url.endsWith('/long')) return new Response(null, { status: 429, headers: { 'retry-after': '2592000' } })
  if (pagesAsked().length !== 5) return new Response('here')
  return new Response(null, { status: 429, headers: { 'retry-after': `${RETRY_AFTER_S}` } })
})
const pagesAsked = () => portal.asked.filter(({ path }) => path !== '/robots.txt')
const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', allowPrivate: true, spacingMs: 20 })
const adapter = createTestAdapter(async ({ sourceParcelId }, { http }) => {
  expectPage(await http.request({ name: 'parcel', url: `${portal.url}/${sourceParcelId}` }))
  return scraped(sourceParcelId)
})
const jobs = createPortalJobs({ url, sql, adapter, portals })
beforeAll(jobs.start)

test('when a portal refuses one job, all jobs back off, the tuner sees one refusal, and the other jobs use no attempt', async () => {
  await enqueue(
    sql,
    'elm',
    Array.from({ length: JOBS }, (_, index) => `p${index}`),
  )
  await waitFor(async () => (await countByStatus(sql)).done === JOBS)
  const asked = pagesAsked().map(({ at }) => at)
  expect(asked.length).toBe(JOBS + 1)
  // A request may be in progress while the refusal arrives.
  const refusedAt = asked[4] ?? 0
  const tooEarly = asked.filter((at) => at > refusedAt + 500 && at < refusedAt + RETRY_AFTER_S * 1_000 - 50)
  expect(tooEarly).toEqual([])
  expect(asked.filter((at) => at > refusedAt && at <= refusedAt + 500).length).toBeLessThan(5)
  const rows = await sql.begin((tx) => listTunerRows(tx, { minuteMs: 60_000, settleShare: SETTLE_SHARE }))
  const { signals } = rows.find(({ vendor }) => vendor === 'test') ?? {}
  expect(signals).toMatchObject({ finished: JOBS + 1, done: JOBS, throttled: 1 })
  const tries = await sql<{ tries: number; jobs: number }[]>`
    select attempts - handed_back as tries, count(*)::int as jobs from scrape_jobs group by 1 order by 1`
  expect([...tries]).toEqual([
    { tries: 1, jobs: JOBS - 1 },
    { tries: 2, jobs: 1 },
  ])
  const [putOff] = await sql<{ jobs: number }[]>`select count(*)::int as jobs from scrape_jobs where handed_back > 0`
  expect(putOff?.jobs).toBeGreaterThan(0)
})

test('a Retry-After of 30 days is recorded as a refusal that asks for one day', async () => {
  await enqueue(sql, 'elm', ['long'])
  const refused = () =>
    sql`select from scrape_attempts where outcome = 'throttled' and retry_after_ms = ${24 * 3_600_000}`
  await waitFor(async () => (await refused()).length === 1)
  expect(await countByStatus(sql)).toMatchObject({ queued: 1 })
})

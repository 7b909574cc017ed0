import { expect, test } from 'bun:test'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { createScrapeNow } from '../../../src/scrape/fetch/scrape-now/scrape-now'
import { startPortal } from '../../adapters/portal'
import { createTestDatabase, waitFor } from '../../support/servers'
import { countByStatus, enqueue, insertSource, insertVendor } from '../job-rows'
import { createTestAdapter, scraped } from '../test-adapter'
import { createPortalJobs, createPortalScrape } from './portal-jobs'

/**
 * Simulates, 50 times faster, a portal that wants 15 s between pages. A parcel needs two pages, and the time limit is shorter
 * than the waits.
 */
const DELAY_MS = 300
/** Long enough for a machine that stands still for a second. */
const LIMIT_MS = 1_200
const JOBS = 20
const AT_ONCE = 12
/** Six turns. Jobs that would wait longer are postponed and free their slots for other counties. */
const LONGEST_WAIT_MS = 1_800

const { url, sql } = await createTestDatabase()
await insertVendor(sql, 'test', AT_ONCE)
await insertSource(sql, 'elm', 'test')

const portal = startPortal((request) => {
  const isRobots = request.url.endsWith('/robots.txt')
  return new Response(isRobots ? `User-agent: *\nCrawl-delay: ${DELAY_MS / 1_000}` : 'here')
})
const pagesAsked = () => portal.asked.filter(({ path }) => path !== '/robots.txt')
const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', allowPrivate: true, spacingMs: 0 })
const adapter = createTestAdapter(async ({ sourceParcelId }, { http }) => {
  for (const name of ['search', 'parcel']) await http.request({ name, url: `${portal.url}/${name}/${sourceParcelId}` })
  return scraped(sourceParcelId)
})
const jobs = createPortalJobs({
  ...{ url, sql, adapter, portals },
  timeLimitMs: { plain: LIMIT_MS, browser: LIMIT_MS },
  longestWaitMs: LONGEST_WAIT_MS,
})

test('a long crawl-delay only costs time: no job fails, no turn is wasted, and the tuner sees neither refusals nor slow scrapes', async () => {
  const startedAt = performance.now()
  await enqueue(
    sql,
    'elm',
    Array.from({ length: JOBS }, (_, index) => `p${index}`),
  )
  jobs.start()
  await waitFor(async () => (await countByStatus(sql)).done === JOBS)
  const asked = pagesAsked().map(({ at }) => at)
  expect(asked.length).toBe(2 * JOBS)
  for (const [turn, at] of asked.entries()) expect(at).toBeGreaterThanOrEqual(startedAt + turn * DELAY_MS)
  expect(performance.now() - startedAt).toBeLessThan(2 * 2 * JOBS * DELAY_MS)

  const tries = await sql<{ outcome: string; n: number; median: number }[]>`
    select outcome, count(*)::int as n, percentile_cont(0.5) within group (order by duration_ms) as median
    from scrape_attempts group by outcome`
  expect(tries.map(({ outcome, n }) => ({ outcome, n }))).toEqual([{ outcome: 'done', n: JOBS }])
  // Most scrapes waited for several turns, which does not count.
  expect(tries[0]?.median).toBeLessThan(DELAY_MS)
  const [counted] = await sql<{ tries: number; putOff: number }[]>`
    select max(attempts - handed_back)::int as tries, sum(handed_back)::int as "putOff" from scrape_jobs`
  expect(counted?.tries).toBe(1)
  expect(counted?.putOff).toBeGreaterThan(0)
})

test('a scrape-now request that gets no turn in time fails as throttled or timeout, and is not counted against the portal', async () => {
  const access = createPortalAccess({ userAgent: 'ParcelDataService/0', allowPrivate: true, spacingMs: 60_000 })
  const impatient = createScrapeNow({
    sql,
    findAdapter: () => adapter,
    review: () => [],
    timeLimitMs: 2_000,
    scrapeParcel: createPortalScrape({ sql, adapter, portals: access }),
  })
  const ask = (sourceParcelId: string) =>
    impatient({ source: 'elm', sourceParcelId, overrides: {}, requester: null, key: null })
  const first = ask('now-1').catch((error) => error)
  await waitFor(() => pagesAsked().some(({ path }) => path.endsWith('/now-1')))
  // The first request waits for the turn of its second page. With turns a minute apart, that is enough to block the next one.
  await expect(ask('now-2')).rejects.toMatchObject({ code: 'throttled' })
  expect(await first).toMatchObject({ code: 'timeout' })
  const outcomes = await sql`select distinct outcome from scrape_attempts`
  expect([...outcomes]).toEqual([{ outcome: 'done' }])
})

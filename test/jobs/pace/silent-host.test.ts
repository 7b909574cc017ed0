import { beforeAll, expect, test } from 'bun:test'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { expectPage } from '../../../adapters/reading/page/expect-page'
import { noteSourceProblems } from '../../../drizzle/queries/sources/source-runs'
import { startPortal } from '../../adapters/portal'
import { createTestDatabase, waitFor } from '../../support/servers'
import { countByStatus, enqueue, insertSource, insertVendor } from '../job-rows'
import { createTestAdapter, scraped } from '../test-adapter'
import { createPortalJobs } from './portal-jobs'

const JOBS = 40
const SLOTS = 4

const { url, sql } = await createTestDatabase()
await insertVendor(sql, 'test', SLOTS)
await insertSource(sql, 'elm', 'test')
await insertSource(sql, 'oak', 'test')

const noRules = (request: Request) => (request.url.endsWith('/robots.txt') ? new Response(null, { status: 404 }) : null)
const elm = startPortal((request) => noRules(request) ?? new Response('here'))
/** Sends its page one byte at a time. */
const oak = startPortal((request) => {
  const pull = async (body: ReadableStreamDefaultController<Uint8Array>) => {
    body.enqueue(new Uint8Array([97]))
    await Bun.sleep(100)
  }
  return noRules(request) ?? new Response(new ReadableStream({ pull }))
})
const portals = createPortalAccess({ userAgent: 'test', allowPrivate: true, spacingMs: 5, silentMs: 500 })
const adapter = createTestAdapter(async ({ source, sourceParcelId }, { http }) => {
  const portal = source === 'oak' ? oak : elm
  expectPage(await http.request({ name: 'parcel', url: `${portal.url}/${sourceParcelId}` }))
  return scraped(sourceParcelId)
})
const jobs = createPortalJobs({
  ...{ url, sql, adapter, portals },
  timeLimitMs: { plain: 2_000, browser: 2_000 },
})
beforeAll(jobs.start)

test('a portal that does not answer occupies the slots of its vendor once, and then the jobs of other portals run', async () => {
  const ids = (letter: string) => Array.from({ length: JOBS }, (_, index) => `${letter}${index}`)
  await enqueue(sql, 'oak', ids('o'))
  await enqueue(sql, 'elm', ids('e'))
  await waitFor(async () => (await countByStatus(sql)).done === JOBS)
  const pagesAsked = oak.asked.filter(({ path }) => path !== '/robots.txt')
  expect(pagesAsked.length).toBeLessThanOrEqual(SLOTS + 2)
  // Jobs that have timed out end when they would wait for the host again. The others used no attempt.
  const timedOut = await sql<
    { id: string }[]
  >`select id from scrape_jobs where source = 'oak' and attempts > handed_back`
  expect(timedOut.length).toBeLessThanOrEqual(SLOTS + 2)
  await waitFor(async () => (await countByStatus(sql)).error === timedOut.length)
  const ended = await sql<{ id: string }[]>`
    select id from scrape_jobs where source = 'oak' and status = 'error' and error_code = 'timeout' and attempts = 1 + handed_back`
  expect(ended.map(({ id }) => id).sort()).toEqual(timedOut.map(({ id }) => id).sort())
  expect((await countByStatus(sql)).queued).toBe(JOBS - timedOut.length)
  // The tuner sees each timeout once.
  const [attempts] = await sql<
    { n: number }[]
  >`select count(*)::int as n from scrape_attempts where outcome = 'timeout'`
  expect(attempts?.n).toBe(timedOut.length)
})

test('a portal that does not answer is a problem of its source, although most of its jobs wait', async () => {
  await waitFor(async () => ((await countByStatus(sql)).error ?? 0) >= 3)
  await noteSourceProblems(sql)
  const problems = await sql<{ source: string; problem: string }[]>`select source, problem from source_problems`
  expect([...problems]).toEqual([{ source: 'oak', problem: 'fetch_failed' }])
})

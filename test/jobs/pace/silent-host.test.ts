import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { expectPage } from '../../../adapters/reading/page/expect-page'
import { createDispatcher } from '../../../src/jobs/dispatcher'
import { createEmbeddedQueue } from '../../../src/jobs/queue/bunqueue'
import { createWorker } from '../../../src/jobs/worker'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { startPortal } from '../../adapters/portal'
import { createTestDatabase, waitFor } from '../../support/servers'
import { countByStatus, enqueue, insertSource, insertVendor } from '../job-rows'
import { createTestAdapter, scraped } from '../test-adapter'

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
const scrapeParcel = createScrapeParcel({
  sql,
  findAdapter: () => adapter,
  timeLimitMs: { plain: 2_000, browser: 2_000 },
  createContext: (source, signal, waiting) => ({
    http: portals.clientFor(source, signal, waiting),
    openPage: null,
    signal,
  }),
})

const dir = mkdtempSync(join(tmpdir(), 'silent-host-'))
const log = pino({ level: 'silent' })
const queue = createEmbeddedQueue(dir)
const worker = createWorker({ sql, queue, scrapeParcel, review: () => [], log })
const dispatcher = createDispatcher({ databaseUrl: url, sql, queue, log })
beforeAll(() => {
  worker.start()
  dispatcher.start()
})
afterAll(async () => {
  await dispatcher.stop()
  await worker.stop(0)
  rmSync(dir, { recursive: true, force: true })
})

test('a portal that does not answer occupies the slots of its vendor once, and then the jobs of other portals run', async () => {
  const ids = (letter: string) => Array.from({ length: JOBS }, (_, index) => `${letter}${index}`)
  await enqueue(sql, 'oak', ids('o'))
  await enqueue(sql, 'elm', ids('e'))
  await waitFor(async () => (await countByStatus(sql)).done === JOBS)
  const pagesAsked = oak.asked.filter(({ path }) => path !== '/robots.txt')
  expect(pagesAsked.length).toBeLessThanOrEqual(SLOTS + 2)
  // The others used no attempt.
  const [timedOut] = await sql<{ jobs: number }[]>`
    select count(*)::int as jobs from scrape_jobs where source = 'oak' and attempts > handed_back`
  expect(timedOut?.jobs).toBeLessThanOrEqual(SLOTS + 2)
  const others = await sql<{ status: string }[]>`select distinct status from scrape_jobs where source = 'oak'`
  expect([...others]).toEqual([{ status: 'queued' }])
})

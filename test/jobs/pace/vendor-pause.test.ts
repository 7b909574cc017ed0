import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { startCrawl } from '../../../drizzle/queries/crawls/crawls'
import { claimWork } from '../../../drizzle/queries/work/claim-work'
import { createDispatcher } from '../../../src/jobs/dispatcher'
import { createEmbeddedQueue } from '../../../src/jobs/queue/bunqueue'
import { createWorker } from '../../../src/jobs/worker'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { pauseVendor, resumeVendor } from '../../../src/scrape/pause-vendor'
import { createTestDatabase, waitFor } from '../../support/servers'
import { latestCrawl } from '../../work/crawls/crawl-rows'
import { countByStatus, enqueue, insertSource, insertVendor } from '../job-rows'
import { createTestAdapter, createTestContext, scraped } from '../test-adapter'

const AT_ONCE = 4
const JOBS = 12
const { url, sql } = await createTestDatabase()
await insertVendor(sql, 'test', AT_ONCE)
await insertSource(sql, 'elm', 'test')

/** The portal answers when it is released. Its scrapes end early if they are aborted. */
let isReleased = false
let asked = 0
let aborted = 0
const adapter = createTestAdapter(async ({ sourceParcelId }, { signal }) => {
  asked++
  signal.addEventListener('abort', () => !isReleased && aborted++)
  await waitFor(() => isReleased || signal.aborted)
  return scraped(sourceParcelId)
})
const scrapeParcel = createScrapeParcel({ sql, findAdapter: () => adapter, createContext: createTestContext })
const log = pino({ level: 'silent' })
const dir = mkdtempSync(join(tmpdir(), 'vendor-pause-'))
const queue = createEmbeddedQueue(dir)
let rounds = 0
const dispatcher = createDispatcher({ databaseUrl: url, sql, queue, log, onTurn: () => rounds++ })
let targetsRead = 0
const worker = createWorker({
  ...{ sql, queue, scrapeParcel, review: () => [], log },
  onTurn: (loop) => loop === 'targets' && targetsRead++,
})
afterAll(async () => {
  await dispatcher.stop()
  await worker.stop(0)
  rmSync(dir, { recursive: true })
})
/** Waits for two whole rounds of the dispatcher and the worker, in which jobs could start that must not. */
const twoRounds = () => {
  const [dispatched, read] = [rounds, targetsRead]
  return waitFor(() => rounds > dispatched + 2 && targetsRead > read + 2)
}
const pause = (until: string | null = null) =>
  pauseVendor(sql, 'test', { reason: 'The county asked', until, actor: 'tester' })

test('a pause stops running scrapes immediately, no scrape starts until it ends, and no attempt is lost', async () => {
  dispatcher.start()
  worker.start()
  await enqueue(
    sql,
    'elm',
    Array.from({ length: JOBS }, (_, index) => `p${index}`),
  )
  await waitFor(() => asked === AT_ONCE)

  expect(JSON.parse((await pause()) ?? '')).toMatchObject({
    target_concurrency: AT_ONCE,
    pause: { reason: 'The county asked', until: null, by: 'tester', since: expect.any(String) },
  })
  // The rows are queued when the call returns. The worker is notified and aborts.
  expect(await countByStatus(sql)).toEqual({ queued: JOBS })
  await waitFor(() => aborted === AT_ONCE)
  await twoRounds()
  expect(await countByStatus(sql)).toEqual({ queued: JOBS })
  expect(asked).toBe(AT_ONCE)

  isReleased = true
  await resumeVendor(sql, 'test', 'tester')
  await waitFor(async () => (await countByStatus(sql)).done === JOBS)
  expect([...(await sql`select distinct attempts - handed_back as counted from scrape_jobs`)]).toEqual([{ counted: 1 }])
  expect(await sql`select from scrape_attempts where outcome <> 'done'`).toHaveLength(0)
  const reasons = await sql`select reason, previous_target, new_target from tuning_log order by id`
  expect([...reasons]).toEqual([
    { reason: 'paused by tester: The county asked', previous_target: AT_ONCE, new_target: AT_ONCE },
    { reason: 'resumed by tester', previous_target: AT_ONCE, new_target: AT_ONCE },
  ])
})

test('a pause with an end time ends automatically', async () => {
  const until = new Date(Date.now() + 3_000).toISOString()
  await pause(until)
  const [id = ''] = await enqueue(sql, 'elm', ['later'])
  await waitFor(async () => (await sql`select from scrape_jobs where id = ${id} and status = 'done'`).length === 1)
  expect(await sql`select from scrape_jobs where id = ${id} and started_at >= ${until}`).toHaveLength(1)
  expect(JSON.parse((await resumeVendor(sql, 'test', 'tester')) ?? '')).toMatchObject({ pause: null })
})

test('a crawl of a paused vendor is queued again and is not claimed', async () => {
  await startCrawl(sql, 'elm', 'operator')
  const claim = () => claimWork(sql, { kind: 'crawl', vendors: ['test'], leaseMs: 60_000 })
  expect(await claim()).toHaveLength(1)
  await pause()
  expect(await latestCrawl(sql, 'elm')).toMatchObject({ status: 'queued', failures: 0 })
  expect(await claim()).toHaveLength(0)
  await resumeVendor(sql, 'test', 'tester')
  expect(await claim()).toHaveLength(1)
})

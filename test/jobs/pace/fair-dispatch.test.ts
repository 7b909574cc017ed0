import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { takeUndispatchedJobs } from '../../../drizzle/queries/jobs/dispatch/take-undispatched-jobs'
import type { Requester } from '../../../drizzle/queries/jobs/order/watchers'
import { createDispatcher } from '../../../src/jobs/dispatcher'
import { createEmbeddedQueue } from '../../../src/jobs/queue/bunqueue'
import { createWorker } from '../../../src/jobs/worker'
import { enqueueScrapes } from '../../../src/orders/enqueue-scrapes'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { createTestDatabase, waitFor } from '../../support/servers'
import { enqueue, insertSource, insertVendor } from '../job-rows'
import { createTestAdapter, createTestContext, scraped } from '../test-adapter'

const { url, sql } = await createTestDatabase()
const MOST = 2_000
const TARGET = 10
/** Most queued jobs of a vendor that has not finished any job yet. */
const FIRST_WINDOW = 2 * TARGET
await insertVendor(sql, 'elm', TARGET)
await insertSource(sql, 'elm', 'elm')

const caller = (name: string): Requester => ({ name, watcher: randomUUID() })
const [ada, bo, cy] = [caller('ada'), caller('bo'), caller('cy')]

const order = (requester: Requester, count: number, from = 0) =>
  enqueueScrapes(
    sql,
    Array.from({ length: count }, (_, n) => ({ source: 'elm', sourceParcelId: `${requester.name}-${from + n}` })),
    requester,
  )
/** Callers of the jobs that the next round dispatches, in order. */
const take = async (): Promise<string[]> => {
  const jobs = await takeUndispatchedJobs(sql, MOST)
  const rows = await sql<{ id: string; name: string }[]>`
    select id, split_part(source_parcel_id, '-', 1) as name from scrape_jobs where id = any(${jobs.map(({ id }) => id)})`
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return jobs.map(({ id }) => names.get(id) ?? '')
}
const count = (names: readonly string[], name: string) => names.filter((other) => other === name).length

beforeEach(async () => {
  await sql`delete from scrape_jobs`
  await sql`update vendor_concurrency set breaker_opened_at = null, probed_at = null`
})

describe('a round of the dispatcher', () => {
  test('dispatches the jobs of several callers in turn, whatever their order and number', async () => {
    await order(ada, 100)
    await order(bo, 3)
    await order(cy, 1)
    const names = await take()
    expect(names.slice(0, 3).sort()).toEqual(['ada', 'bo', 'cy'])
    expect(names.indexOf('bo', names.indexOf('bo') + 1)).toBeLessThan(5)
    expect([count(names, 'ada'), count(names, 'bo'), count(names, 'cy')]).toEqual([7, 3, 1])
    // The first caller is alone again and gets the whole window.
    expect(await take()).toEqual(Array(FIRST_WINDOW - 7).fill('ada'))
    expect(await take()).toEqual([])
  })

  test("a new caller's jobs are dispatched immediately, even if the window is full", async () => {
    await order(ada, 1_000)
    expect(await take()).toHaveLength(FIRST_WINDOW)
    expect(await take()).toEqual([])
    await order(bo, 200)
    expect(await take()).toEqual(Array(FIRST_WINDOW / 2).fill('bo'))
  })

  test('the scheduler counts as one caller', async () => {
    await enqueue(
      sql,
      'elm',
      Array.from({ length: 500 }, (_, n) => `refresh-${n}`),
    )
    await order(ada, 200)
    const names = await take()
    expect([count(names, 'refresh'), count(names, 'ada')]).toEqual([10, 10])
  })

  test('a queue holds as many jobs as its vendor finishes within seconds, up to a maximum', async () => {
    const end = (ended: number) => sql`
      insert into scrape_jobs (source, source_parcel_id, vendor, status, finished_at)
      select 'elm', 'ended-' || n, 'elm', 'done', now() + interval '10 seconds' from generate_series(1, ${ended}::int) n`
    await order(ada, 1_000)
    await order(ada, 1_000, 1_000)
    await order(ada, 1_000, 2_000)
    await end(300)
    expect(await take()).toHaveLength(FIRST_WINDOW + 300)
    await end(5_000)
    expect(await take()).toHaveLength(MOST - FIRST_WINDOW - 300)
  })

  test('a vendor with an open breaker gets one job, however many callers wait', async () => {
    await Promise.all([order(ada, 10), order(bo, 10), order(cy, 10)])
    await sql`update vendor_concurrency set breaker_opened_at = now() - interval '2 minutes'`
    expect(await take()).toHaveLength(1)
    expect(await take()).toEqual([])
  })

  test("a parcel that a second caller requests does not wait behind the rest of the first caller's jobs", async () => {
    await order(ada, 1_000)
    await take()
    const wanted = { source: 'elm', sourceParcelId: 'ada-900' }
    const [job] = await enqueueScrapes(
      sql,
      Array.from({ length: 101 }, (_, n) => (n === 0 ? wanted : { ...wanted, sourceParcelId: `bo-${n}` })),
      bo,
    )
    const taken = await takeUndispatchedJobs(sql, MOST)
    expect(taken.findIndex(({ id }) => id === job?.id)).toBeLessThan(2)
  })

  test('jobs that are not due yet leave the whole window to jobs that are due', async () => {
    await order(ada, 100)
    await order(bo, 10)
    await sql`update scrape_jobs set not_before = now() + interval '1 hour' where source_parcel_id like 'bo-%'`
    expect(await take()).toEqual(Array(FIRST_WINDOW).fill('ada'))
  })
})

test('one job starts within seconds although another caller has queued thousands for the same vendor', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'fair-dispatch-'))
  const queue = createEmbeddedQueue(dir)
  const log = pino({ level: 'silent' })
  const asked: string[] = []
  const adapter = createTestAdapter(async ({ sourceParcelId }) => {
    asked.push(sourceParcelId)
    await Bun.sleep(50)
    return scraped(sourceParcelId)
  })
  const dispatcher = createDispatcher({ databaseUrl: url, sql, queue, log })
  const scrapeParcel = createScrapeParcel({ sql, findAdapter: () => adapter, createContext: createTestContext })
  const worker = createWorker({ sql, queue, scrapeParcel, review: () => [], log })
  afterAll(async () => {
    await dispatcher.stop()
    await worker.stop(0)
    rmSync(dir, { recursive: true, force: true })
  })
  for (let from = 0; from < 4_000; from += 100) await order(ada, 100, from)
  worker.start()
  dispatcher.start()
  await waitFor(() => asked.length > 100)
  const before = asked.length
  await order(bo, 1)
  await waitFor(() => asked.includes('bo-0'))
  // Ten at a time and 20 per second each make about 400 in two seconds. A full window would be 2,000.
  expect(asked.indexOf('bo-0') - before).toBeLessThan(800)
  await sql`delete from scrape_jobs where status = 'queued'`
})

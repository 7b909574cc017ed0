import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { fixture } from '../../../adapters/vendors/fixture/adapter'
import { findSampleParcel, sampleParcels } from '../../../dev/sample-county/county'
import { sampleHistory } from '../../../dev/sample-county/history'
import { startPortal } from '../../../dev/sample-portal/portal'
import { createDispatcher } from '../../../src/jobs/dispatcher'
import { createEmbeddedQueue } from '../../../src/jobs/queue/bunqueue'
import { createScheduler } from '../../../src/jobs/scheduler'
import { createWorker } from '../../../src/jobs/worker'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { createTestDatabase, waitFor } from '../../servers'
import { enqueue, insertSource, insertVendor } from '../job-rows'

/** Replaces the minute between tuner cycles, which is also the length of the window. */
const MINUTE_MS = 2_000
const BEARS = 6
/** Long against the work of a job in this process, so that a busy machine changes throughput little. */
const LATENCY_MS = 300
const JOBS = 8_000

const { url, sql } = await createTestDatabase()
const portal = startPortal({
  findRecord: (number) => {
    const parcel = findSampleParcel(number)
    if (parcel === null) return null
    const { updatedOn, ...history } = sampleHistory(parcel, new Date())
    return { number, fields: parcel, history, updatedOn }
  },
  traffic: { latencyMs: LATENCY_MS, throttleAbove: BEARS, retryAfterS: 1 },
})
await insertVendor(sql, 'fixture', 2)
await sql`update vendor_concurrency set signal_window_minutes = 1`
await insertSource(sql, 'larkspur', 'fixture')
await sql`update sources set base_url = ${portal.baseUrl}`
const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', ownOrigins: new Set([portal.origin]) })

const dir = mkdtempSync(join(tmpdir(), 'tuner-live-'))
const log = pino({ level: 'silent' })
const queue = createEmbeddedQueue(dir)
const worker = createWorker({
  sql,
  queue,
  scrapeParcel: createScrapeParcel({
    sql,
    findAdapter: () => fixture,
    createContext: (source, signal) => ({ http: portals.clientFor(source, signal), openPage: null, signal }),
  }),
  review: () => [],
  log,
  targetsPollMs: 25,
})
const dispatcher = createDispatcher({ databaseUrl: url, sql, queue, log })
const scheduler = createScheduler({ databaseUrl: url, sql, log, crawledVendors: [], minuteMs: MINUTE_MS })
afterAll(async () => {
  await scheduler.stop()
  await dispatcher.stop()
  await worker.stop(0)
  await portal.stop()
  rmSync(dir, { recursive: true, force: true })
})

const tunings = () => sql<{ at: number; target: number; reason: string }[]>`
  select (extract(epoch from created_at) * 1000)::float8 as at, new_target as target, reason
  from tuning_log where actor = 'auto' order by id`

test('for a portal that refuses more than 6 concurrent requests, the target settles at 5 or 6 within 20 cycles, and the log says why', async () => {
  await enqueue(
    sql,
    'larkspur',
    [...sampleParcels({ parcels: JOBS })].map(({ sourceParcelId }) => sourceParcelId),
  )
  worker.start()
  dispatcher.start()
  await waitFor(async () => worker.running() === 2)
  const startedAt = Date.now()
  scheduler.start()
  const cycle = (at: number) => (at - startedAt) / MINUTE_MS

  await waitFor(async () => {
    const last = (await tunings()).at(-1)
    return last !== undefined && last.target >= 5 && last.target <= 6 && cycle(Date.now()) - cycle(last.at) > 5
  }, 26 * MINUTE_MS)
  const story = await tunings()
  expect(cycle(story.at(-1)?.at ?? 0)).toBeLessThanOrEqual(20)
  const reasons = story.map(({ reason }) => reason)
  expect(reasons[0]).toMatch(/^all well \(\d+ done, p50 \d+ ms, p95 \d+ ms\): up$/)
  expect(reasons.find((reason) => reason.includes('throttled'))).toMatch(
    /^(refused|more than half failed) \(\d+ done, \d+ thr/,
  )
  expect(reasons.at(-1)).toMatch(/^all well \(\d+ done, p50/)
  const [since] = await sql<{ done: number; throttled: number }[]>`
    select count(*) filter (where outcome = 'done')::int as done, count(*) filter (where outcome = 'throttled')::int as throttled
    from scrape_attempts where ended_at > now() - ${4 * MINUTE_MS} * interval '1 ms'`
  expect(since?.done).toBeGreaterThan(0.8 * 4 * MINUTE_MS * (5 / LATENCY_MS))
  expect(since?.throttled).toBe(0)
})

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
import { createTestDatabase, waitFor } from '../../support/servers'
import { enqueue, insertSource, insertVendor } from '../job-rows'

/** Replaces the minute between tuner cycles, which is also the length of the window. */
const MINUTE_MS = 20_000
const BEARS = 6
/** The tuner decides by five finished jobs at least. In a window this short, one slot has not finished that many. */
const LEAST = 2
/**
 * Long compared with the work between two jobs. While a slot waits for that work, the tuner counts it as unused: with 300 ms, and once
 * with 900 ms, a busy machine had 4 of 6 slots in use, and the target settled at 4; with 3 s, a slow one had 3 of 4, and it stayed at 4.
 * With 2 s, jobs once took a second longer while a whole check started beside them, and the tuner took that for the portal's limit.
 */
const LATENCY_MS = 5_000
/**
 * How long a refusal takes: a real portal's answer has a round trip. Without it, the slots above the limit cause over 60 refusals a second,
 * and on a busy machine they took the processor time and the jobs of the others, so that the target settled at 4.
 */
const REFUSAL_MS = 1_000
const JOBS = 2_000
/** 26 cycles, and the start. */
const TIMEOUT_MS = 640_000

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
const front = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async ({ url, headers }) => {
    const { pathname, search } = new URL(url)
    const response = await fetch(`${portal.origin}${pathname}${search}`, { headers })
    if (response.status === 429) await Bun.sleep(REFUSAL_MS)
    return response
  },
})
await insertVendor(sql, 'fixture', LEAST)
// A job of a busy machine takes longer than the usual 2 s for a fast one.
await sql`update vendor_concurrency set signal_window_minutes = 1, min_concurrency = ${LEAST}, fast_threshold_ms = ${2 * LATENCY_MS},
  slow_threshold_ms = ${3 * LATENCY_MS}`
await insertSource(sql, 'larkspur', 'fixture')
await sql`update sources set base_url = ${portal.baseUrl.replace(portal.origin, front.url.origin)}`
const portals = createPortalAccess({ userAgent: 'ParcelDataService/0', ownOrigins: new Set([front.url.origin]) })

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
  targetsPollMs: 100,
})
const dispatcher = createDispatcher({ databaseUrl: url, sql, queue, log })
const scheduler = createScheduler({ databaseUrl: url, sql, log, crawledVendors: [], minuteMs: MINUTE_MS })
afterAll(async () => {
  await scheduler.stop()
  await dispatcher.stop()
  await worker.stop(0)
  await front.stop(true)
  await portal.stop()
  rmSync(dir, { recursive: true, force: true })
})

const tunings = () => sql<{ at: number; target: number; reason: string }[]>`
  select (extract(epoch from created_at) * 1000)::float8 as at, new_target as target, reason
  from tuning_log where actor = 'auto' order by id`

test(
  'for a portal that refuses more than 6 concurrent requests, the target settles at 5 or 6 within 20 cycles, and the log says why',
  async () => {
    await enqueue(
      sql,
      'larkspur',
      [...sampleParcels({ parcels: JOBS })].map(({ sourceParcelId }) => sourceParcelId),
    )
    worker.start()
    dispatcher.start()
    await waitFor(async () => worker.running() === LEAST)
    const startedAt = Date.now()
    scheduler.start()
    const cycle = (at: number) => (at - startedAt) / MINUTE_MS

    await waitFor(async () => {
      const last = (await tunings()).at(-1)
      return last !== undefined && last.target >= 5 && last.target <= 6 && cycle(Date.now()) - cycle(last.at) > 5
    }, 26 * MINUTE_MS).catch(async (error) => {
      const lines = (await tunings()).map(({ at, target, reason }) => `${cycle(at).toFixed(1)}: ${target}, ${reason}`)
      throw new Error(`the target did not settle:\n${lines.join('\n')}`, { cause: error })
    })
    const story = await tunings()
    // The log is written at the end of a cycle, which is later on a busy machine.
    expect(Math.round(cycle(story.at(-1)?.at ?? 0))).toBeLessThanOrEqual(20)
    const reasons = story.map(({ reason }) => reason)
    expect(reasons.find((reason) => reason.endsWith(': up'))).toMatch(
      /^all well \(\d+ done, p50 \d+ ms, p95 \d+ ms\): up$/,
    )
    expect(reasons.find((reason) => reason.includes('throttled'))).toMatch(
      /^(refused|more than half failed) \(\d+ done, \d+ thr/,
    )
    // On a busy machine, the slots above five may add only waiting.
    expect(reasons.at(-1)).toMatch(
      /^all well \(\d+ done, p50|^\d+ concurrent jobs are more than the portal supports at full speed: .+; back to \d$/,
    )
    // Slots in use, because a busy machine takes longer than the portal's latency for each job. The tuner counts a target as in use from
    // three quarters on.
    const [since] = await sql<{ slots: number; throttled: number }[]>`
    select (sum(duration_ms) filter (where outcome = 'done') / ${4 * MINUTE_MS})::float8 as slots,
      count(*) filter (where outcome = 'throttled')::int as throttled
    from scrape_attempts where ended_at > now() - ${4 * MINUTE_MS} * interval '1 ms'`
    expect(since?.slots).toBeGreaterThan(0.75 * 5)
    expect(since?.throttled).toBe(0)
  },
  TIMEOUT_MS,
)

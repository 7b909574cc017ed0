import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Adapter } from '../../../adapters/adapter'
import { ScrapeError } from '../../../adapters/scrape-error'
import { createDispatcher } from '../../../src/jobs/dispatcher'
import { createEmbeddedQueue } from '../../../src/jobs/queue/bunqueue'
import type { JobQueue } from '../../../src/jobs/queue/queue'
import { createRedisQueue } from '../../../src/jobs/queue/redis'
import { createWorker } from '../../../src/jobs/worker'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { WAIT_TIMEOUT_MS } from '../../support/deadlines'
import { isRedisMissing, startRedis } from '../../support/redis-server'
import { createTestDatabase, waitFor } from '../../support/servers'
import { cancel, enqueue, findJob, insertSource, insertVendor } from '../job-rows'
import { createTestAdapter, createTestContext, scraped } from '../test-adapter'

interface Driver {
  open: () => JobQueue
  stop: () => Promise<void>
}

const openEmbedded = async (): Promise<Driver> => {
  const dir = mkdtempSync(join(tmpdir(), 'worker-'))
  return { open: () => createEmbeddedQueue(dir), stop: async () => rmSync(dir, { recursive: true, force: true }) }
}

const openRedis = async (): Promise<Driver> => {
  const redis = await startRedis()
  return { open: () => createRedisQueue(redis.url, { onReset: () => {}, onError: () => {} }), stop: redis.kill }
}

const describeWorker = (name: string, openDriver: () => Promise<Driver>) =>
  describe(name, async () => {
    const driver = await openDriver()

    const { url, sql } = await createTestDatabase()
    await insertVendor(sql, 'test', 10)
    await insertSource(sql, 'elm', 'test')

    const log = pino({ level: 'silent' })
    let adapter: Adapter | null = createTestAdapter()
    const start = (more: { leaseMs?: number; heartbeatMs?: number; timeLimitMs?: number; pollMs?: number } = {}) => {
      const queue = driver.open()
      const limit = more.timeLimitMs ?? 60_000
      const worker = createWorker({
        sql,
        queue,
        scrapeParcel: createScrapeParcel({
          sql,
          findAdapter: () => adapter,
          createContext: createTestContext,
          timeLimitMs: { plain: limit, browser: limit },
        }),
        review: () => [],
        log,
        retryDelay: (tries, retryAfterMs) => retryAfterMs ?? tries * 100,
        ...more,
      })
      const dispatcher = createDispatcher({ databaseUrl: url, sql, queue, log, ...more })
      worker.start()
      dispatcher.start()
      return {
        worker,
        stop: async (graceMs?: number) => {
          await dispatcher.stop()
          await worker.stop(graceMs)
        },
      }
    }
    let service = start({ pollMs: 10 * WAIT_TIMEOUT_MS })
    afterAll(async () => {
      await service.stop(0)
      await driver.stop()
    })

    const one = async (parcel: string): Promise<string> => (await enqueue(sql, 'elm', [parcel]))[0] ?? ''
    const status = async (id: string) => (await findJob(sql, id)).status
    const hasEnded = async (id: string) => ['done', 'error'].includes(await status(id))
    const attempts = async (id: string) => [
      ...(await sql`select attempt, outcome, retry_after_ms from scrape_attempts where job_id = ${id} order by attempt`),
    ]

    test('a queued job is scraped, stored and done without waiting for the next poll of the table', async () => {
      const id = await one('soon')
      await waitFor(() => hasEnded(id))
      expect(await findJob(sql, id)).toMatchObject({ status: 'done', attempts: 1, error_message: null })
      const [parcel] = await sql`select owner_name from parcels where source_parcel_id = 'soon'`
      expect(parcel).toEqual({ owner_name: 'OWNER OF soon' })
      await service.stop()
      service = start()
    })

    test('an adapter gets the target with its overrides, and HTTP validators only for the same page', async () => {
      const targets: unknown[] = []
      adapter = createTestAdapter((target) => {
        targets.push(target)
        return scraped('target', {
          scrape: { parcel_number: 'target', fetched_at: new Date().toISOString(), http_etag: '"x"' },
        })
      })
      for (const overrides of [{}, {}, { vendorKey: 'k' }]) {
        // In one transaction: the worker must not see the job without its overrides.
        const id = await sql.begin(async (tx) => {
          const [queued = ''] = await enqueue(tx, 'elm', ['target'])
          await tx`update scrape_jobs set overrides = ${sql.json(overrides)} where id = ${queued}`
          return queued
        })
        await waitFor(() => hasEnded(id))
      }
      expect(targets).toMatchObject([
        { source: 'elm', sourceParcelId: 'target', baseUrl: 'https://elm.example', validators: { etag: null } },
        { overrides: {}, validators: { etag: '"x"', lastModified: null } },
        { overrides: { vendorKey: 'k' }, validators: { etag: null, lastModified: null } },
      ])
    })

    test('a retryable failure is attempted at most three times with growing delays, and each attempt is recorded', async () => {
      let tries = 0
      adapter = createTestAdapter(() => {
        tries++
        throw new ScrapeError('throttled', 'the portal wants a pause', { retryAfterMs: 300 })
      })
      const id = await one('throttled')
      await waitFor(() => hasEnded(id))
      expect(tries).toBe(3)
      expect(await findJob(sql, id)).toMatchObject({
        status: 'error',
        attempts: 3,
        error_code: 'throttled',
        error_message: 'the portal wants a pause',
      })
      expect(await attempts(id)).toEqual(
        [1, 2, 3].map((attempt) => ({ attempt, outcome: 'throttled', retry_after_ms: 300 })),
      )
    })

    test('an error of the adapter that looks like a lost connection to the database ends the attempt', async () => {
      let tries = 0
      adapter = createTestAdapter(() => {
        if (++tries === 1) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
        return scraped('reset')
      })
      const id = await one('reset')
      await waitFor(() => hasEnded(id))
      expect(tries).toBe(2)
      expect(await findJob(sql, id)).toMatchObject({ status: 'done', attempts: 2 })
    })

    test('the error of a failed attempt is cleared when a later attempt succeeds', async () => {
      let tries = 0
      adapter = createTestAdapter(() => {
        if (++tries === 1) throw new ScrapeError('network', 'the line went dead')
        return scraped('second-try')
      })
      const id = await one('second-try')
      await waitFor(() => hasEnded(id))
      expect(await findJob(sql, id)).toMatchObject({
        status: 'done',
        attempts: 2,
        error_code: null,
        error_message: null,
      })
    })

    test('a changed page, a missing adapter and a bug are not retried, and a bug reveals no details to callers', async () => {
      adapter = createTestAdapter(() => {
        throw new ScrapeError('page_changed', 'no "Owner:" on the page')
      })
      const changed = await one('changed')
      await waitFor(() => hasEnded(changed))
      expect(await findJob(sql, changed)).toMatchObject({
        attempts: 1,
        error_code: 'page_changed',
        error_message: 'no "Owner:" on the page',
      })

      adapter = null
      const missing = await one('missing')
      await waitFor(() => hasEnded(missing))
      expect(await findJob(sql, missing)).toMatchObject({
        error_code: 'bad_config',
        error_message: 'there is no adapter for the vendor test',
      })

      adapter = createTestAdapter(() => {
        throw new TypeError('undefined is not an object (at /secret/place)')
      })
      const bug = await one('bug')
      await waitFor(() => hasEnded(bug))
      expect(await findJob(sql, bug)).toMatchObject({
        attempts: 1,
        error_code: 'internal',
        error_message: 'internal error',
      })
    })

    test('a running job that is cancelled is aborted within 2 s and stores nothing', async () => {
      const reasons: unknown[] = []
      const answer = Promise.withResolvers<void>()
      let isAsked = false
      adapter = createTestAdapter(async ({ sourceParcelId }, { signal }) => {
        isAsked = true
        signal.addEventListener('abort', () => reasons.push(signal.reason))
        await answer.promise
        return scraped(sourceParcelId)
      })
      const id = await one('stopped')
      await waitFor(() => isAsked)
      expect(await cancel(sql, id)).toBe(true)
      // The portal has not responded yet.
      await waitFor(() => service.worker.running() === 0)
      expect(reasons.length).toBe(1)
      expect(await findJob(sql, id)).toMatchObject({ status: 'error', error_message: 'cancelled by testtest' })
      answer.resolve()
      // A later scrape is stored, so the late answer of the cancelled one would be stored too.
      const later = await one('later')
      await waitFor(() => hasEnded(later))
      expect(await status(later)).toBe('done')
      expect([...(await sql`select from parcels where source_parcel_id = 'stopped'`)]).toEqual([])
      expect(await status(id)).toBe('error')
    })

    test('a job that is queued while its parcel is being scraped waits for that scrape and then runs', async () => {
      let now = 0
      let most = 0
      const answer = Promise.withResolvers<void>()
      adapter = createTestAdapter(async ({ sourceParcelId }) => {
        if (sourceParcelId !== 'twice') return scraped(sourceParcelId)
        most = Math.max(most, ++now)
        await answer.promise
        now--
        return scraped(sourceParcelId)
      })
      const first = await one('twice')
      await waitFor(async () => (await status(first)) === 'running')
      const second = await one('twice')
      // A job that is queued after it runs first.
      const other = await one('another parcel')
      await waitFor(() => hasEnded(other))
      expect(await status(second)).toBe('queued')
      answer.resolve()
      await waitFor(() => hasEnded(second))
      expect(await status(first)).toBe('done')
      expect(await status(second)).toBe('done')
      expect(most).toBe(1)
    })

    test('a vendor never runs more jobs than its target, and a new target applies while jobs run', async () => {
      let now = 0
      let most = 0
      adapter = createTestAdapter(async ({ sourceParcelId }) => {
        most = Math.max(most, ++now)
        await Bun.sleep(200)
        now--
        return scraped(sourceParcelId)
      })
      await enqueue(
        sql,
        'elm',
        Array.from({ length: 800 }, (_, index) => `many-${index}`),
      )
      await waitFor(() => now === 10)
      await sql`update vendor_concurrency set target_concurrency = 3`
      await waitFor(() => now === 3)
      expect(most).toBe(10)
      await sql`update vendor_concurrency set target_concurrency = 20`
      // Compares the maximum, because on a slow machine scrapes may end as fast as others begin.
      await waitFor(() => most === 20)
      await sql`delete from scrape_jobs where status = 'queued'`
      await waitFor(() => service.worker.running() === 0)
      expect(most).toBe(20)
      await sql`update vendor_concurrency set target_concurrency = 10`
    })

    test('a scrape that takes too long ends as a timeout, even if the adapter ignores the signal', async () => {
      await service.stop()
      service = start({ timeLimitMs: 200 })
      adapter = createTestAdapter(async ({ sourceParcelId }) => {
        await Bun.sleep(1_000)
        return scraped(sourceParcelId)
      })
      const id = await one('slow')
      await waitFor(() => hasEnded(id))
      expect(await findJob(sql, id)).toMatchObject({
        attempts: 3,
        error_code: 'timeout',
        error_message: 'the scrape of elm.example took longer than 0.2 s',
      })
    })

    test('a stopping worker waits for running jobs, then hands back the rest without using up an attempt', async () => {
      await service.stop()
      service = start()
      const { promise: untilStopping, resolve: setStopping } = Promise.withResolvers<void>()
      adapter = createTestAdapter(async ({ sourceParcelId }) => {
        await (sourceParcelId === 'short' ? untilStopping : Bun.sleep(20_000))
        return scraped(sourceParcelId)
      })
      const [short, long] = [await one('short'), await one('long')]
      await waitFor(() => service.worker.running() === 2)
      const stopped = service.stop(4_000)
      setStopping()
      await stopped
      expect(await status(short)).toBe('done')
      expect(await findJob(sql, long)).toMatchObject({ status: 'queued', attempts: 1 })
      adapter = createTestAdapter()
      service = start()
      await waitFor(() => hasEnded(long))
      expect(await findJob(sql, long)).toMatchObject({ status: 'done', attempts: 2 })
    })

    test('jobs of a dead worker are queued again when the lease expires, and fail at the third loss', async () => {
      await service.stop()
      const [ids, lost] = [await enqueue(sql, 'elm', ['dead-0', 'dead-1']), await enqueue(sql, 'elm', ['dead-2'])]
      await sql`
    update scrape_jobs set status = 'running', attempts = 1, started_at = now(), lease_expires_at = now() + interval '1 s'
    where id = any(${ids}::uuid[])`
      await sql`
    update scrape_jobs set status = 'running', attempts = 3, started_at = now(), lease_expires_at = now() + interval '1 s'
    where id = any(${lost}::uuid[])`
      service = start({ leaseMs: 3_000, heartbeatMs: 500 })
      for (const id of ids) {
        await waitFor(() => hasEnded(id))
        expect(await findJob(sql, id)).toMatchObject({ status: 'done', attempts: 2 })
        expect(await attempts(id)).toMatchObject([{ outcome: 'worker_lost' }, { outcome: 'done' }])
      }
      expect(await findJob(sql, lost[0] ?? '')).toMatchObject({
        status: 'error',
        error_code: 'worker_lost',
        error_message: 'its worker was lost at attempt 3',
      })
    })
  })

describeWorker('a worker with the embedded queue', openEmbedded)
if (!isRedisMissing) describeWorker('a worker with the queue in Redis', openRedis)

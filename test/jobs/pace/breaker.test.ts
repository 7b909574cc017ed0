import { expect, test } from 'bun:test'
import { pino } from 'pino'
import { createDispatcher } from '../../../src/jobs/dispatcher'
import { createRedisQueue } from '../../../src/jobs/queue/redis'
import { createWorker } from '../../../src/jobs/worker'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { isRedisMissing, startRedis } from '../../support/redis-server'
import { createTestDatabase, waitFor } from '../../support/servers'
import { countByStatus, enqueue, insertSource, insertVendor } from '../job-rows'
import { createTestAdapter, createTestContext } from '../test-adapter'

const JOBS = 40
const { url, sql } = await createTestDatabase()
await insertVendor(sql, 'test', 20)
await insertSource(sql, 'elm', 'test')

const done = async () => (await countByStatus(sql)).done ?? 0
const handedOver = async () =>
  (await sql`select from scrape_jobs where status = 'queued' and dispatched_at is not null`).length
const parcels = Array.from({ length: JOBS }, (_, index) => `p${index}`)

test.skipIf(isRedisMissing)(
  'while the breaker is open, all workers together start one job per minute, and the other jobs use no attempt',
  async () => {
    const redis = await startRedis()
    const log = pino({ level: 'silent' })
    const adapter = createTestAdapter()
    const openQueue = () => createRedisQueue(redis.url, { onReset: () => {}, onError: () => {} })
    const queue = openQueue()
    let rounds = 0
    const dispatcher = createDispatcher({ databaseUrl: url, sql, queue, log, onTurn: () => rounds++ })
    /** Waits for two whole rounds of the dispatcher, in which it could dispatch jobs that it must not. */
    const twoRounds = () => {
      const before = rounds
      return waitFor(() => rounds > before + 2)
    }
    const scrapeParcel = createScrapeParcel({ sql, findAdapter: () => adapter, createContext: createTestContext })
    const workers = Array.from({ length: 2 }, () =>
      createWorker({ sql, queue: openQueue(), scrapeParcel, review: () => [], log }),
    )
    try {
      await enqueue(sql, 'elm', parcels)
      dispatcher.start()
      await waitFor(async () => (await handedOver()) === JOBS)
      await sql`update vendor_concurrency set breaker_opened_at = now()`
      for (const worker of workers) worker.start()
      // Jobs in the queue are put back and stay in the table.
      await waitFor(async () => (await done()) === 1 && (await handedOver()) === 0)
      await twoRounds()
      expect(await countByStatus(sql)).toEqual({ done: 1, queued: JOBS - 1 })
      expect(await handedOver()).toBe(0)

      await sql`update vendor_concurrency set probed_at = probed_at - interval '1 minute',
        breaker_opened_at = breaker_opened_at - interval '2 minutes'`
      await waitFor(async () => (await done()) === 2)
      await twoRounds()
      expect(await countByStatus(sql)).toEqual({ done: 2, queued: JOBS - 2 })

      await sql`update vendor_concurrency set breaker_opened_at = null`
      await waitFor(async () => (await done()) === JOBS)
      expect([...(await sql`select distinct attempts from scrape_jobs`)]).toEqual([{ attempts: 1 }])
    } finally {
      await dispatcher.stop()
      await queue.close()
      for (const worker of workers) await worker.stop(0)
      await redis.kill()
    }
  },
)

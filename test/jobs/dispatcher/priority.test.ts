import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { ScrapeError } from '../../../adapters/scrape-error'
import { createDispatcher } from '../../../src/jobs/dispatcher'
import { createEmbeddedQueue } from '../../../src/jobs/queue/bunqueue'
import { type JobQueue, queuedJobKey } from '../../../src/jobs/queue/queue'
import { createRedisQueue } from '../../../src/jobs/queue/redis'
import { createWorker } from '../../../src/jobs/worker'
import { enqueueScrapes } from '../../../src/orders/enqueue-scrapes'
import { createScrapeParcel } from '../../../src/scrape/fetch/scrape-parcel'
import { isRedisMissing, startRedis } from '../../support/redis-server'
import { createTestDatabase, waitFor } from '../../support/servers'
import { enqueue, findJob, insertSource, insertVendor } from '../job-rows'
import { createTestAdapter, createTestContext, scraped } from '../test-adapter'

/** More than a vendor has in the queue at a time (`WINDOW` of src/jobs/dispatcher.ts). */
const BACKLOG = Array.from({ length: 2_200 }, (_, index) => `refresh-${index}`)

const openEmbedded = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'priority-'))
  return { queue: createEmbeddedQueue(dir), stop: async () => rmSync(dir, { recursive: true, force: true }) }
}

const openRedis = async () => {
  const redis = await startRedis()
  return { queue: createRedisQueue(redis.url, { onReset: () => {}, onError: () => {} }), stop: redis.kill }
}

const describePriority = (name: string, open: () => Promise<{ queue: JobQueue; stop: () => Promise<void> }>) =>
  describe(name, async () => {
    const { url, sql } = await createTestDatabase()
    const { queue, stop } = await open()

    /** Each test has its own source and vendor. */
    let source = ''
    let round = 0
    /** Parcels requested from the portal, one at a time. Each request waits for `letGo`. */
    const asked: string[] = []
    let letGo = () => {}
    let failing = new Set<string>()
    const adapter = createTestAdapter(async ({ sourceParcelId }) => {
      asked.push(sourceParcelId)
      await new Promise<void>((resolve) => {
        letGo = resolve
      })
      if (failing.delete(sourceParcelId)) throw new ScrapeError('network', 'the line went dead')
      return scraped(sourceParcelId)
    })
    const nextAsked = async (): Promise<string | undefined> => {
      const { length } = asked
      letGo()
      await waitFor(() => asked.length > length)
      return asked[length]
    }

    const handedOver = new Set<string>()
    const add: JobQueue['add'] = async (vendor, deliveries) => {
      await queue.add(vendor, deliveries)
      for (const delivery of deliveries) handedOver.add(queuedJobKey(delivery))
    }
    const log = pino({ level: 'silent' })
    const dispatcher = createDispatcher({ databaseUrl: url, sql, queue: { add }, log })
    const worker = createWorker({
      sql,
      queue,
      scrapeParcel: createScrapeParcel({ sql, findAdapter: () => adapter, createContext: createTestContext }),
      review: () => [],
      log,
      retryDelay: () => 0,
    })
    worker.start()
    dispatcher.start()
    afterAll(async () => {
      await dispatcher.stop()
      await worker.stop(0)
      await stop()
    })

    /** Requests a scrape as a caller does, and waits until the job is in the queue. */
    const order = async (sourceParcelId: string): Promise<string> => {
      const [job] = await enqueueScrapes(sql, [{ source, sourceParcelId }], null)
      const { id = '' } = job ?? {}
      const { attempts } = await findJob(sql, id)
      await waitFor(() => handedOver.has(queuedJobKey({ id, attempts, priority: 'high' })))
      return id
    }

    beforeEach(async () => {
      await sql`delete from scrape_jobs`
      letGo()
      await waitFor(() => worker.running() === 0)
      asked.length = 0
      handedOver.clear()
      failing = new Set()
      source = `elm-${++round}`
      await insertVendor(sql, source, 1)
      await insertSource(sql, source, source)
      await enqueue(sql, source, BACKLOG)
      await waitFor(() => asked.length === 1 && handedOver.size >= 3)
    })

    test('a requested job runs next, however many refreshes wait in the table and in the queue', async () => {
      const id = await order('ordered')
      expect(await nextAsked()).toBe('ordered')
      expect(await nextAsked()).toStartWith('refresh-')
      expect(await findJob(sql, id)).toMatchObject({ status: 'done', attempts: 1 })
    })

    test('a waiting refresh that a caller requests runs next, and only once, whether it is already in the queue or not', async () => {
      const [row] = await sql<{ near: string; far: string }[]>`
        select max(source_parcel_id) filter (where dispatched_at is not null) as near,
          max(source_parcel_id) filter (where dispatched_at is null) as far
        from scrape_jobs where status = 'queued'`
      const { near = '', far = '' } = row ?? {}
      const ids = [await order(near), await order(far)]
      expect([await nextAsked(), await nextAsked()]).toEqual([near, far])
      // The old queue entry is taken later, and its claim fails.
      await sql`delete from scrape_jobs where status = 'queued'`
      await order('end')
      expect(await nextAsked()).toBe('end')
      for (const id of ids) expect(await findJob(sql, id)).toMatchObject({ status: 'done', attempts: 1 })
      expect(asked.filter((parcel) => [near, far].includes(parcel))).toHaveLength(2)
    })

    test('a retry of a requested job does not wait behind the refreshes', async () => {
      failing.add('ordered')
      const id = await order('ordered')
      expect(await nextAsked()).toBe('ordered')
      letGo()
      await waitFor(() => handedOver.has(queuedJobKey({ id, attempts: 1, priority: 'high' })))
      // Only a refresh that started before the retry was dispatched may run before it.
      while (asked.filter((parcel) => parcel === 'ordered').length < 2) await nextAsked()
      expect(asked.lastIndexOf('ordered')).toBeLessThanOrEqual(3)
      await nextAsked()
      expect(await findJob(sql, id)).toMatchObject({ status: 'done', attempts: 2 })
    })
  })

describePriority('the embedded queue', openEmbedded)
if (!isRedisMissing) describePriority('the queue in Redis', openRedis)

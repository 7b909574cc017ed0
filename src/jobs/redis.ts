import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { type Delivery, deliveryKey, type JobQueue, type QueueEvents } from './queue'

/**
 * How soon the deliveries of a dead worker come again (its share of the concurrency is taken until then). A worker that was
 * only slow loses nothing by it: the table refuses the second try of what runs.
 */
const LOCK_MS = 4_000
const STALLED_CHECK_MS = 1_000
/** After an error of its connection a worker of BullMQ pauses; 15 s unless told otherwise. */
const ERROR_PAUSE_MS = 500
/**
 * How long a worker without a job waits to be told of one; 5 s unless told otherwise. When a target is lowered and many jobs end at
 * the same moment, each sees the others still running and takes none: nobody is told then that there is room.
 */
const IDLE_S = 1
/** A job's number of tries is counted in the table; the queue does not count. */
const MOST_STALLS = 1_000_000
const CLOSE_MS = 2_000
/** BullMQ takes what has no priority before what has the first one. */
const PRIORITIES = { high: {}, normal: { priority: 1 } }

/** Deliveries through Redis (BullMQ), for any number of worker processes. Two vendors never wait for each other. */
export const createRedisQueue = (url: string, { onReset, onError }: QueueEvents, prefix = 'scrape'): JobQueue => {
  const connection = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (tries) => Math.min(tries * 50, 1_000),
  })
  const queues = new Map<string, Queue<Delivery>>()
  const workers = new Map<string, Worker<Delivery>>()
  const concurrencies = new Map<string, number>()
  let wasReady = false
  connection.on('error', onError)
  connection.on('ready', () => {
    if (wasReady) onReset()
    wasReady = true
  })

  const queueOf = (vendor: string): Queue<Delivery> => {
    const known = queues.get(vendor)
    if (known !== undefined) return known
    const queue = new Queue<Delivery>(vendor, { connection, prefix })
    queue.on('error', onError)
    queues.set(vendor, queue)
    return queue
  }

  return {
    async add(vendor, deliveries) {
      await queueOf(vendor).addBulk(
        deliveries.map((delivery) => ({
          name: 'scrape',
          data: delivery,
          opts: {
            ...PRIORITIES[delivery.priority],
            jobId: deliveryKey(delivery),
            removeOnComplete: true,
            removeOnFail: true,
          },
        })),
      )
    },
    take(vendor, handle) {
      const worker = new Worker<Delivery>(vendor, ({ data }) => handle(data), {
        connection,
        prefix,
        concurrency: concurrencies.get(vendor) ?? 1,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_CHECK_MS,
        maxStalledCount: MOST_STALLS,
        runRetryDelay: ERROR_PAUSE_MS,
        drainDelay: IDLE_S,
      })
      worker.on('error', onError)
      workers.set(vendor, worker)
    },
    async setConcurrency(vendor, concurrency) {
      concurrencies.set(vendor, concurrency)
      const worker = workers.get(vendor)
      if (worker !== undefined) worker.concurrency = concurrency
      await queueOf(vendor).setGlobalConcurrency(concurrency)
    },
    async pause() {
      await Promise.all([...workers.values()].map((worker) => worker.pause(true)))
    },
    async close() {
      const parts = [...workers.values()].map((worker) => worker.close(true))
      parts.push(...[...queues.values()].map((queue) => queue.close()))
      // Without a server the farewells would wait for it.
      await Promise.race([Promise.allSettled(parts), Bun.sleep(CLOSE_MS)])
      connection.disconnect()
    },
  }
}

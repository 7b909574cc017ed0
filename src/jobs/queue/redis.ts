import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { type JobQueue, type QueuedJob, type QueueEvents, queuedJobKey } from './queue'
import { watchMemory } from './redis-memory'

/**
 * How soon the jobs of a dead worker are delivered again. Until then they still count toward the concurrency limit. If the worker was
 * only slow, nothing is lost: the second claim fails in the table.
 */
const LOCK_MS = 4_000
const STALLED_CHECK_MS = 1_000
/** How long a BullMQ worker pauses after a connection error; its default is 15 s. */
const ERROR_PAUSE_MS = 500
/**
 * How long an idle worker blocks while it waits for a job; the default is 5 s. When a target is lowered and many jobs end at the same
 * moment, each sees the others still running and takes none. Nothing notifies the workers then that there is room.
 */
const IDLE_S = 1
/**
 * A connection that waits for a response and receives nothing for this long is closed, and its commands are sent again on a new one.
 * Blocking commands end within `IDLE_S`, so this limit suits them too.
 */
const SILENCE_MS = 3_000
/** How long a closing connection waits for the other side. */
const FAREWELL_MS = 500
/** The table counts attempts, so the queue's own limit must never apply. */
const MAX_STALLS = 1_000_000
const CLOSE_MS = 2_000
/** BullMQ takes jobs without a priority before jobs with priority 1. */
const PRIORITIES = { high: {}, normal: { priority: 1 } }

/** After an error, BullMQ's own worker may block for 10 s even if jobs are waiting. */
class QueueWorker extends Worker<QueuedJob> {
  override get maximumBlockTimeout(): number {
    return IDLE_S
  }
}

/** Of the keys in Redis. */
const PREFIX = 'scrape'

/** A queue on Redis (BullMQ), for any number of worker processes. Vendors do not block each other. */
export const createRedisQueue = (url: string, { onReset, onError, onAnswer = () => {} }: QueueEvents): JobQueue => {
  let isReconnecting = false
  const connection = new Redis(url, {
    maxRetriesPerRequest: null,
    // Jobs that are stored together end together: their commands go to Redis in one write.
    enableAutoPipelining: true,
    connectTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    disconnectTimeout: FAREWELL_MS,
    retryStrategy: (tries) => Math.min(tries * 100, 1_000),
    // The server became a replica. A new connection may reach the new primary at the same address.
    reconnectOnError: ({ message }) => {
      if (isReconnecting || !message.includes('READONLY')) return false
      // Commands that were sent together fail together. Each would add a listener to the same socket, and too many cause a warning.
      isReconnecting = true
      setImmediate(() => {
        isReconnecting = false
      })
      return true
    },
  })
  const queues = new Map<string, Queue<QueuedJob>>()
  const workers = new Map<string, Worker<QueuedJob>>()
  const concurrencies = new Map<string, number>()
  let isPaused = false
  connection.on('error', onError)

  const queueOf = (vendor: string): Queue<QueuedJob> => {
    const known = queues.get(vendor)
    if (known !== undefined) return known
    const queue = new Queue<QueuedJob>(vendor, { connection, prefix: PREFIX })
    queue.on('error', onError)
    queues.set(vendor, queue)
    return queue
  }

  const memory = watchMemory(connection, `${PREFIX}:memory`, {
    onLost: async () => {
      // Set the limits before jobs are added again, so that they apply from the first job on.
      for (const [vendor, concurrency] of concurrencies) await queueOf(vendor).setGlobalConcurrency(concurrency)
      onReset()
    },
    onError,
    onAnswer,
  })

  return {
    async add(vendor, jobs) {
      await queueOf(vendor).addBulk(
        jobs.map((job) => ({
          name: 'scrape',
          data: job,
          opts: {
            ...PRIORITIES[job.priority],
            jobId: queuedJobKey(job),
            removeOnComplete: true,
            removeOnFail: true,
          },
        })),
      )
    },
    take(vendor, handle) {
      const worker = new QueueWorker(vendor, ({ data }) => handle(data), {
        connection,
        prefix: PREFIX,
        concurrency: concurrencies.get(vendor) ?? 1,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_CHECK_MS,
        maxStalledCount: MAX_STALLS,
        runRetryDelay: ERROR_PAUSE_MS,
        drainDelay: IDLE_S,
      })
      worker.on('error', onError)
      workers.set(vendor, worker)
    },
    async setConcurrency(vendor, concurrency) {
      concurrencies.set(vendor, concurrency)
      const worker = workers.get(vendor)
      const isRaised = worker !== undefined && concurrency > worker.concurrency
      if (worker !== undefined) worker.concurrency = concurrency
      await queueOf(vendor).setGlobalConcurrency(concurrency)
      // A worker with as many jobs as its old limit waits until one of them ends. Resuming wakes it, so that it takes jobs up to the new limit.
      if (isRaised && !isPaused) await Promise.all([worker.pause(true), worker.resume()])
    },
    async pause() {
      isPaused = true
      await Promise.all([...workers.values()].map((worker) => worker.pause(true)))
    },
    async close() {
      memory.stop()
      const parts = [...workers.values()].map((worker) => worker.close(true))
      parts.push(...[...queues.values()].map((queue) => queue.close()))
      // If the server is unavailable, closing would wait for it.
      await Promise.race([Promise.allSettled(parts), Bun.sleep(CLOSE_MS)])
      connection.disconnect()
    },
  }
}

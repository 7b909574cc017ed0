import { randomUUID } from 'node:crypto'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { createAlarm } from '../../../core/alarm'
import { type JobQueue, type QueuedJob, type QueueEvents, queuedJobKey } from './queue'

/**
 * How soon the jobs of a dead worker come again (its share of the concurrency is taken until then). A worker that was
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
/**
 * A connection on which an answer is due and nothing arrives for this long is closed, and its commands go out again on a new one.
 * Blocking commands end within `IDLE_S`, so it fits them too.
 */
const SILENCE_MS = 3_000
/** How long a closed connection may wait for the other side to agree. */
const FAREWELL_MS = 500
/** How often each process looks whether Redis still knows what it was told. */
const MEMORY_CHECK_MS = 1_000
/** A job's number of tries is counted in the table; the queue does not count. */
const MOST_STALLS = 1_000_000
const CLOSE_MS = 2_000
/** BullMQ takes what has no priority before what has the first one. */
const PRIORITIES = { high: {}, normal: { priority: 1 } }

/** After an error BullMQ's own worker may wait for 10 s, even where jobs wait for it. */
class QueueWorker extends Worker<QueuedJob> {
  override get maximumBlockTimeout(): number {
    return IDLE_S
  }
}

/** Deliveries through Redis (BullMQ), for any number of worker processes. Two vendors never wait for each other. */
export const createRedisQueue = (url: string, { onReset, onError }: QueueEvents, prefix = 'scrape'): JobQueue => {
  const connection = new Redis(url, {
    maxRetriesPerRequest: null,
    connectTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    disconnectTimeout: FAREWELL_MS,
    retryStrategy: (tries) => Math.min(tries * 100, 1_000),
    // It became a replica: another server may answer at its address now.
    reconnectOnError: ({ message }) => message.includes('READONLY'),
  })
  const queues = new Map<string, Queue<QueuedJob>>()
  const workers = new Map<string, Worker<QueuedJob>>()
  const concurrencies = new Map<string, number>()
  const alarm = createAlarm()
  let isClosed = false
  let wasReady = false
  /** Redis may have lost what it was told: everything, or the last of it. */
  let isDoubtful = false
  /** What Redis holds under `memoryKey`, as this process knows it; null: not read yet. */
  let memory: string | null = null
  connection.on('error', onError)
  connection.on('ready', () => {
    isDoubtful ||= wasReady
    wasReady = true
    alarm.ring()
  })

  const queueOf = (vendor: string): Queue<QueuedJob> => {
    const known = queues.get(vendor)
    if (known !== undefined) return known
    const queue = new Queue<QueuedJob>(vendor, { connection, prefix })
    queue.on('error', onError)
    queues.set(vendor, queue)
    return queue
  }

  /**
   * The first process that misses the key writes a new one; the others see that it is not the one they knew. So each process notices,
   * though its connection never broke (FLUSHALL), and though another one was quicker.
   */
  const memoryKey = `${prefix}:memory`
  const readMemory = async (): Promise<string | null> => {
    const found = await connection.get(memoryKey)
    if (found !== null) return found
    await connection.set(memoryKey, randomUUID(), 'NX')
    return connection.get(memoryKey)
  }

  const checkMemory = async (): Promise<void> => {
    const found = await readMemory()
    isDoubtful ||= memory !== null && found !== memory
    memory = found
    if (!isDoubtful) return
    // Before anything is handed over again: the first of it keeps to the target.
    for (const [vendor, concurrency] of concurrencies) await queueOf(vendor).setGlobalConcurrency(concurrency)
    isDoubtful = false
    onReset()
  }

  const watchMemory = async (): Promise<void> => {
    while (!isClosed) {
      await checkMemory().catch((error) => isClosed || onError(error))
      await alarm.wait(MEMORY_CHECK_MS)
    }
  }
  void watchMemory()

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
      isClosed = true
      alarm.ring()
      const parts = [...workers.values()].map((worker) => worker.close(true))
      parts.push(...[...queues.values()].map((queue) => queue.close()))
      // Without a server the farewells would wait for it.
      await Promise.race([Promise.allSettled(parts), Bun.sleep(CLOSE_MS)])
      connection.disconnect()
    },
  }
}

import { Queue, shutdownManager, Worker } from 'bunqueue/client'
import { lockDataDir } from '../../../core/files/data-dir'
import { type JobQueue, type QueuedJob, queuedJobKey } from './queue'

/** A running job counts as lost after this long. It is long, so that a blocked event loop does not make the job run twice. */
const LOST_MS = 600_000
/** An empty path keeps the queue in memory. Without one, bunqueue would take a path from the environment (`DATA_PATH` and others). */
const IN_MEMORY = { embedded: true, dataPath: '' } as const
const PRIORITIES = { high: 1, normal: 0 }
const CLOCK_CHECK_MS = 1_000
/** Clocks are also adjusted by some ms. Jobs wait for so short a time anyway. */
const SET_BACK_MS = 500

/** Calls `onSetBack` after the clock of the machine was set back. Returns what ends that. */
const watchClock = (onSetBack: () => void): (() => void) => {
  const read = () => Date.now() - performance.now()
  let latest = read()
  const timer = setInterval(() => {
    const offset = read()
    if (offset < latest - SET_BACK_MS) onSetBack()
    latest = offset
  }, CLOCK_CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * A queue in memory, for a single process. It starts empty: the table of jobs is the source of truth, and the dispatcher's first round
 * dispatches the jobs again. A file would have nothing that the table lacks, and writing it took half of the worker's time per job
 * (2026-11-23).
 *
 * @throws ServiceError `data_dir_in_use` when another process uses `dir`: the limit on concurrent jobs holds in one process only.
 */
export const createEmbeddedQueue = (dir: string): JobQueue => {
  const lock = lockDataDir(dir, process.argv.slice(1).join(' '))
  const queues = new Map<string, Queue<QueuedJob>>()
  const workers = new Map<string, Worker<QueuedJob>>()
  const concurrencies = new Map<string, number>()

  const queueOf = (vendor: string): Queue<QueuedJob> => {
    const known = queues.get(vendor)
    if (known !== undefined) return known
    const queue = new Queue<QueuedJob>(vendor, IN_MEMORY)
    queue.setStallConfig({ stallInterval: LOST_MS })
    queues.set(vendor, queue)
    return queue
  }

  // bunqueue holds back a job that was added when the clock showed a later time.
  const unwatchClock = watchClock(() => {
    for (const queue of queues.values()) void queue.promoteJobs()
  })

  return {
    async add(vendor, jobs) {
      await queueOf(vendor).addBulk(
        jobs.map((job) => ({
          name: 'scrape',
          data: job,
          opts: {
            jobId: queuedJobKey(job),
            priority: PRIORITIES[job.priority],
            removeOnComplete: true,
            removeOnFail: true,
          },
        })),
      )
    },
    take(vendor, handle) {
      queueOf(vendor)
      const worker = new Worker<QueuedJob>(vendor, ({ data }) => handle(data), {
        ...IN_MEMORY,
        concurrency: concurrencies.get(vendor) ?? 1,
        lockDuration: LOST_MS,
        // Takes jobs for all free slots together, at most this many. The default is 10.
        batchSize: 100,
        removeOnComplete: true,
      })
      workers.set(vendor, worker)
    },
    async setConcurrency(vendor, concurrency) {
      concurrencies.set(vendor, concurrency)
      const worker = workers.get(vendor)
      if (worker !== undefined) worker.concurrency = concurrency
      queueOf(vendor).setGlobalConcurrency(concurrency)
    },
    async pause() {
      for (const worker of workers.values()) worker.pause()
    },
    async close() {
      unwatchClock()
      await Promise.all([...workers.values()].map((worker) => worker.close(true)))
      for (const queue of queues.values()) queue.close()
      shutdownManager()
      lock.release()
    },
  }
}

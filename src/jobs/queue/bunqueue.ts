import { Database } from 'bun:sqlite'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Queue, shutdownManager, Worker } from 'bunqueue/client'
import { lockDataDir } from '../../../core/data-dir'
import { type JobQueue, type QueuedJob, queuedJobKey } from './queue'

/** A running job counts as lost after this long. It is long, so that a blocked event loop does not make the job run twice. */
const LOST_MS = 600_000
/*
 * Adds are not `durable`: they are written to the file about 10 ms later, many in one write. This raises throughput by half. A crash
 * in between loses them, but the dispatcher's first round dispatches all of them again from the table.
 */
/** The queue counts a crash as an attempt. The attempts that matter are counted in the table, so this limit is never reached. */
const MAX_CRASHES = 1_000
const RESTART_MS = 500
const PRIORITIES = { high: 1, normal: 0 }

/**
 * A queue in one SQLite file under `dir`, for a single process. A damaged file is deleted: the table of jobs is the source of truth, and
 * the dispatcher's first round dispatches the jobs again.
 *
 * @throws ServiceError `data_dir_in_use` when another process uses `dir`. Two processes on one file would each run every job.
 */
export const createEmbeddedQueue = (dir: string): JobQueue => {
  const lock = lockDataDir(dir, process.argv.slice(1).join(' '))
  const dataPath = join(dir, 'queue.sqlite')
  if (!isWhole(dataPath)) for (const suffix of ['', '-wal', '-shm']) rmSync(`${dataPath}${suffix}`, { force: true })
  const queues = new Map<string, Queue<QueuedJob>>()
  const workers = new Map<string, Worker<QueuedJob>>()
  const concurrencies = new Map<string, number>()

  const queueOf = (vendor: string): Queue<QueuedJob> => {
    const known = queues.get(vendor)
    if (known !== undefined) return known
    const queue = new Queue<QueuedJob>(vendor, { embedded: true, dataPath })
    queue.setStallConfig({ stallInterval: LOST_MS })
    queues.set(vendor, queue)
    return queue
  }

  return {
    async add(vendor, jobs) {
      await queueOf(vendor).addBulk(
        jobs.map((job) => ({
          name: 'scrape',
          data: job,
          opts: {
            jobId: queuedJobKey(job),
            priority: PRIORITIES[job.priority],
            attempts: MAX_CRASHES,
            backoff: RESTART_MS,
            removeOnComplete: true,
            removeOnFail: true,
          },
        })),
      )
    },
    take(vendor, handle) {
      queueOf(vendor)
      const worker = new Worker<QueuedJob>(vendor, ({ data }) => handle(data), {
        embedded: true,
        dataPath,
        concurrency: concurrencies.get(vendor) ?? 1,
        lockDuration: LOST_MS,
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
      await Promise.all([...workers.values()].map((worker) => worker.close(true)))
      for (const queue of queues.values()) queue.close()
      shutdownManager()
      lock.release()
    },
  }
}

const isWhole = (file: string): boolean => {
  if (!existsSync(file)) return false
  try {
    using database = new Database(file)
    const result = database.query('pragma quick_check(1)').get() as { quick_check: string }
    return result.quick_check === 'ok'
  } catch {
    return false
  }
}

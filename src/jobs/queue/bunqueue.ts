import { Database } from 'bun:sqlite'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Queue, shutdownManager, Worker } from 'bunqueue/client'
import { lockDataDir } from '../../../core/data-dir'
import { type JobQueue, type QueuedJob, queuedJobKey } from './queue'

/** A job that is being handled counts as lost after this long, so that a blocked event loop does not run it twice. */
const LOST_MS = 600_000
/*
 * Adds are not `durable`: the file takes them some 10 ms later, many in one write, which is half as many jobs a second again. A
 * crash in between loses them, and the dispatcher's first round hands over again whatever the table says was handed over.
 */
/** A crash uses up a try of the queue's own; the tries that count are counted in the table. */
const MOST_CRASHES = 1_000
const RESTART_MS = 500
const PRIORITIES = { high: 1, normal: 0 }

/**
 * Deliveries through one SQLite file under `dir`, for the one process that has it. A damaged file is deleted: the table of jobs is the truth,
 * and the dispatcher's first round hands over again what the table says was handed over.
 *
 * @throws ServiceError `data_dir_in_use` when another process has it: two on one file would each run every job.
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
            attempts: MOST_CRASHES,
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

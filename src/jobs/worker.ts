import type { Logger } from 'pino'
import { CHANNELS } from '../../core/channels'
import { throttleReports } from '../../core/observe/throttle-reports'
import type { Sql } from '../../core/postgres/database'
import { putBackJob } from '../../drizzle/queries/jobs/run/put-back-job'
import type { ScrapeParcel } from '../scrape/fetch/scrape-parcel'
import { HEARTBEAT_MS, LEASE_MS } from '../scrape/lease'
import { persist } from '../scrape/store/persist'
import type { StoreDeps } from '../scrape/store/write-scrapes'
import type { JobQueue, QueuedJob } from './queue/queue'
import { retryDelayMs } from './retry-delay'
import { createClaim } from './worker/claim-job'
import type { WorkerContext } from './worker/context'
import { createFailJob } from './worker/fail-job'
import { createRunJob } from './worker/run-job'
import { RunningJobs } from './worker/running-jobs'
import { VendorTargets } from './worker/vendor-targets'

export interface WorkerDeps extends StoreDeps {
  sql: Sql
  queue: JobQueue
  scrapeParcel: ScrapeParcel
  log: Logger
  leaseMs?: number
  heartbeatMs?: number
  /** How often targets and breakers are read. */
  targetsPollMs?: number
  retryDelay?: typeof retryDelayMs
  /** Called after each successful turn of a loop. */
  onTurn?: (loop: 'leases' | 'targets') => void
  /** How long a statement is retried while the database is busy. */
  busyForMs?: number
}

export interface Worker {
  start: () => void
  /** How many jobs run in this process. */
  running: () => number
  /** Stops taking jobs, waits up to `graceMs` for running jobs, and hands back the rest. Closes the queue. */
  stop: (graceMs?: number) => Promise<void>
}

const TARGETS_POLL_MS = 1_000
/** A worker stops within 30 s, including its queue. */
const GRACE_MS = 25_000
const PAUSE_MS = 2_000

/**
 * Takes jobs from the queue, claims their rows, scrapes, stores. While a job runs its lease is extended. A job that was cancelled, or
 * given to another worker, is dropped immediately. What a worker writes counts only while its attempt is the current one, so a worker
 * that is late, cut off or started twice does no harm.
 */
export const createWorker = ({
  sql,
  queue,
  scrapeParcel,
  log,
  review,
  leaseMs = LEASE_MS,
  heartbeatMs = HEARTBEAT_MS,
  targetsPollMs = TARGETS_POLL_MS,
  retryDelay = retryDelayMs,
  busyForMs,
  onTurn = () => {},
}: WorkerDeps): Worker => {
  let phase: ReturnType<WorkerContext['phase']> = 'working'
  const jobs = new RunningJobs(sql, leaseMs)
  const targets = new VendorTargets(sql, queue)
  const context: WorkerContext = {
    sql,
    log,
    jobs,
    phase: () => phase,
    persist: (write) => persist(write, { isOver: () => phase === 'leaving', busyForMs }),
  }
  const claim = createClaim(context, {
    leaseMs,
    isBreakerOpen: targets.isBreakerOpen,
    isPaused: targets.isPaused,
  })
  const fail = createFailJob(context, retryDelay)
  const run = createRunJob(context, { scrapeParcel, review, fail })
  const taken = new Set<string>()

  const handle = async (vendor: string, queued: QueuedJob): Promise<void> => {
    try {
      const job = await claim(vendor, queued)
      if (job === null) await context.persist(() => putBackJob(sql, queued))
      else await run(job)
    } catch (error) {
      // The row is unchanged. The job is dispatched again, or its lease expires.
      log.error({ err: error, job: queued.id }, 'a job was abandoned; it will run again')
    }
  }

  const takeFrom = (vendor: string): void => {
    if (taken.has(vendor) || phase !== 'working') return
    taken.add(vendor)
    queue.take(vendor, (queued) => handle(vendor, queued))
  }

  /** Repeats the task until the worker leaves. A turn that fails is tried again at the next one. */
  const repeat = async (loop: 'leases' | 'targets', task: () => Promise<void>, everyMs: number): Promise<void> => {
    const warn = throttleReports((error, times) =>
      log.warn({ err: error, times }, 'a worker task failed; trying again'),
    )
    while (phase !== 'leaving') {
      await task().then(() => onTurn(loop), warn)
      await Bun.sleep(everyMs)
    }
  }

  return {
    start() {
      void sql.listen(
        CHANNELS.jobCancelled,
        (id) => jobs.drop(id, 'the job was cancelled'),
        () => void jobs.extendLeases().catch(() => {}),
      )
      void repeat('leases', () => jobs.extendLeases(), heartbeatMs)
      void repeat('targets', () => targets.follow(takeFrom), targetsPollMs)
    },
    running: () => jobs.size,
    async stop(graceMs = GRACE_MS) {
      phase = 'stopping'
      // If the queue's server is unavailable, pausing would wait for it. Jobs that still arrive are put back.
      await Promise.race([queue.pause(), Bun.sleep(PAUSE_MS)])
      await jobs.waitUntilNone(graceMs)
      phase = 'leaving'
      await jobs
        .handBack('the worker stops')
        .catch((error) =>
          log.warn({ err: error }, 'jobs could not be handed back: they are queued again when their leases expire'),
        )
      await jobs.waitUntilNone(1_000)
      await queue.close()
    },
  }
}

import type { Logger } from 'pino'
import { CHANNELS } from '../../core/channels'
import { createAlarm } from '../../core/concurrency/alarm'
import { throttleReports } from '../../core/observe/throttle-reports'
import type { Sql } from '../../core/postgres/database'
import { createLeader, type Lead } from '../../core/postgres/leader'
import { followClock } from '../../drizzle/queries/jobs/dispatch/follow-clock'
import { listDispatchedJobs } from '../../drizzle/queries/jobs/dispatch/list-dispatched-jobs'
import { requeueExpiredJobs } from '../../drizzle/queries/jobs/dispatch/requeue-expired-jobs'
import { type DispatchedJob, takeUndispatchedJobs } from '../../drizzle/queries/jobs/dispatch/take-undispatched-jobs'
import { LEASE_MS, LOAD_LEASE_MS, MAX_ATTEMPTS } from '../scrape/lease'
import { watchDatabaseClock } from './database-clock'
import type { JobQueue } from './queue/queue'

export interface DispatcherDeps {
  databaseUrl: string
  sql: Sql
  queue: Pick<JobQueue, 'add'>
  log: Logger
  leaseMs?: number
  /** How often the leader reads the table if no notification arrives. */
  pollMs?: number
  /** Called after each successful turn. */
  onTurn?: () => void
}

export interface Dispatcher {
  start: () => void
  /** Adds all dispatched jobs to the queue again, in case it lost them. */
  refill: () => void
  stop: () => Promise<void>
}

/** Maximum jobs per vendor and priority in the queue: more than the fastest vendor completes in a second. The queue is refilled as it empties. */
const WINDOW = 2_000
const SET_SIZE = 1_000
/** How often the leader reads the table if no notification arrives, and the others try to lead. */
const POLL_MS = 1_000
/** Pause between sets while jobs keep arriving, so that they are dispatched together. */
const BUSY_PAUSE_MS = 50
/** A job that was dispatched this long ago and has not started is dispatched again. If the queue still holds it, this has no effect. */
const REFILL_MS = 30_000
const RETRY_MS = 500
const STOP_MS = 2_000

/**
 * Dispatches jobs from the table to the queue, and requeues jobs of dead workers. The leader does this; the other processes stand by.
 * The table is the source of truth: if the queue loses a job, it is dispatched again.
 */
export const createDispatcher = ({
  databaseUrl,
  sql,
  queue,
  log,
  leaseMs = LEASE_MS,
  pollMs = POLL_MS,
  onTurn = () => {},
}: DispatcherDeps): Dispatcher => {
  const leader = createLeader(databaseUrl, 'scrape-jobs-dispatcher')
  const alarm = createAlarm()
  let running: Promise<void> | null = null
  let stopped = true
  let refillAgeMs: number | null = null
  let refilledAt = Number.NEGATIVE_INFINITY
  /** The leadership term in which the queue was last filled. */
  let filledUnder: Lead | null = null
  /** The time since which workers could extend their leases without interruption, as far as this process knows. */
  let steadySince: number | null = null
  let roundAt = 0
  const readClock = watchDatabaseClock(sql)
  let timesCheckedAt = Number.NEGATIVE_INFINITY

  const handOver = async (jobs: readonly DispatchedJob[]): Promise<void> => {
    const byVendor = Map.groupBy(jobs, ({ vendor }) => vendor)
    await Promise.all(
      [...byVendor].map(([vendor, of]) =>
        queue.add(
          vendor,
          of.map(({ id, attempts, priority }) => ({ id, attempts, priority })),
        ),
      ),
    )
  }

  const refill = async (ageMs: number): Promise<void> => {
    for (let after: string | null = null; ; ) {
      const jobs = await listDispatchedJobs(sql, { ageMs, after, limit: SET_SIZE })
      await handOver(jobs)
      after = jobs.at(-1)?.id ?? null
      if (jobs.length < SET_SIZE) return
    }
  }

  /** After the clock of the database was set back, jobs and leases would wait for as long as it was set back. */
  const correctTimes = async (lead: Lead): Promise<void> => {
    let corrected = 0
    for (let last = SET_SIZE; last >= SET_SIZE; corrected += last)
      last = await lead.begin(sql, (tx) => followClock(tx, { leaseMs, workLeaseMs: LOAD_LEASE_MS, limit: SET_SIZE }))
    if (corrected > 0)
      log.warn({ rows: corrected }, 'the clock of PostgreSQL was set back; times of jobs are corrected')
  }

  /** Once per `pollMs`: queues jobs of dead workers again, and follows the clock of the database. */
  const checkTimes = async (lead: Lead | null, now: number): Promise<void> => {
    const isNew = lead !== filledUnder
    if (!isNew && now - timesCheckedAt < pollMs) return
    timesCheckedAt = now
    const clock = await readClock()
    // Workers get time to extend their leases.
    if (clock.change === 'forward') steadySince = null
    if (lead === null) return
    if (clock.change === 'forward')
      log.warn('the clock of PostgreSQL was set forward; leases do not end because of that')
    // Perhaps the former leader did not notice.
    if (clock.change === 'back' || isNew) await correctTimes(lead)
    // While the database was unavailable, workers could not extend leases.
    if (steadySince === null || now - steadySince <= leaseMs) return
    const expired = { at: clock.now, maxAttempts: MAX_ATTEMPTS, limit: SET_SIZE }
    const lost = await lead.begin(sql, (tx) => requeueExpiredJobs(tx, expired))
    if (lost > 0) log.warn({ jobs: lost }, 'leases expired, because workers were lost; their jobs are queued again')
  }

  const round = async (): Promise<void> => {
    const now = performance.now()
    // This process was frozen. Perhaps the workers were too.
    if (now - roundAt > leaseMs) steadySince = null
    roundAt = now
    const lead = await leader.lead()
    steadySince ??= now
    await checkTimes(lead, now)
    if (lead === null) {
      await alarm.wait(POLL_MS)
      return
    }
    if (lead !== filledUnder) {
      filledUnder = lead
      refillAgeMs = 0
      log.info('this process now dispatches jobs')
    }
    if (refillAgeMs === null && now - refilledAt > REFILL_MS) refillAgeMs = REFILL_MS
    if (refillAgeMs !== null) {
      const ageMs = refillAgeMs
      refillAgeMs = null
      await refill(ageMs)
      refilledAt = performance.now()
    }
    const jobs = await lead.begin(sql, (tx) => takeUndispatchedJobs(tx, WINDOW))
    await handOver(jobs)
    if (jobs.length > 0) await Bun.sleep(BUSY_PAUSE_MS)
    else await alarm.wait(pollMs)
  }

  const run = async (): Promise<void> => {
    const warn = throttleReports((error, times) =>
      log.warn({ err: error, times }, 'jobs could not be dispatched; trying again'),
    )
    while (!stopped) {
      try {
        await round()
        onTurn()
      } catch (error) {
        if (stopped) return
        warn(error)
        steadySince = null
        // Some jobs that are marked as dispatched may not have reached the queue.
        refillAgeMs = 0
        await alarm.wait(RETRY_MS)
      }
    }
  }

  return {
    start() {
      stopped = false
      void sql.listen(CHANNELS.jobsQueued, alarm.ring, alarm.ring)
      running = run()
    },
    refill() {
      refillAgeMs = 0
      alarm.ring()
    },
    async stop() {
      stopped = true
      alarm.ring()
      // If the queue's server is unavailable, the last set is still waiting for it.
      await Promise.race([running, Bun.sleep(STOP_MS)])
      await leader.stop()
    },
  }
}

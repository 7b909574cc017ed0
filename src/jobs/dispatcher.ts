import type { Logger } from 'pino'
import { CHANNELS } from '../../core/channels'
import { createAlarm } from '../../core/concurrency/alarm'
import { throttleReports } from '../../core/observe/throttle-reports'
import type { Sql } from '../../core/postgres/database'
import type { Lead } from '../../core/postgres/leader/lead'
import { createLeader } from '../../core/postgres/leader/leader'
import { takeUndispatchedJobs } from '../../drizzle/queries/jobs/dispatch/take-undispatched-jobs'
import { LEASE_MS } from '../scrape/lease'
import { LeaseChecks } from './dispatcher/lease-checks'
import { Refills } from './dispatcher/refills'
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
/** How often the leader reads the table if no notification arrives, and the others try to lead. */
const POLL_MS = 1_000
/** Pause between sets while jobs keep arriving, so that they are dispatched together. */
const BUSY_PAUSE_MS = 50
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
  const refills = new Refills(sql, queue)
  const leases = new LeaseChecks({ sql, log, leaseMs, everyMs: pollMs })
  let running: Promise<void> | null = null
  let stopped = true
  /** The leadership term in which the queue was last filled. */
  let filledUnder: Lead | null = null

  const round = async (): Promise<void> => {
    leases.beginRound()
    const lead = await leader.lead()
    await leases.run(lead)
    if (lead === null) {
      await alarm.wait(POLL_MS)
      return
    }
    if (lead !== filledUnder) {
      filledUnder = lead
      refills.wantAll()
      log.info('this process now dispatches jobs')
    }
    await refills.refillIfDue()
    const jobs = await lead.begin(sql, (tx) => takeUndispatchedJobs(tx, WINDOW))
    await refills.add(jobs)
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
        // While the database was unavailable, workers could not extend leases.
        leases.interrupt()
        // Some jobs that are marked as dispatched may not have reached the queue.
        refills.wantAll()
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
      refills.wantAll()
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

import type { Logger } from 'pino'
import { createAlarm } from '../../core/alarm'
import { CHANNELS } from '../../core/channels'
import type { Sql } from '../../core/postgres/database'
import { createLeader, type Lead } from '../../core/postgres/leader'
import { tellNowAndThen } from '../../core/tell-now-and-then'
import { listDispatchedJobs } from '../../drizzle/queries/jobs/dispatch/list-dispatched-jobs'
import { requeueExpiredJobs } from '../../drizzle/queries/jobs/dispatch/requeue-expired-jobs'
import { type DispatchedJob, takeUndispatchedJobs } from '../../drizzle/queries/jobs/dispatch/take-undispatched-jobs'
import { LEASE_MS, MOST_TRIES } from '../scrape/lease'
import type { JobQueue } from './queue/queue'

export interface DispatcherDeps {
  databaseUrl: string
  sql: Sql
  queue: Pick<JobQueue, 'add'>
  log: Logger
  leaseMs?: number
  /** Called after each turn that did its work. */
  onTurn?: () => void
}

export interface Dispatcher {
  start: () => void
  /** Gives the queue everything again that it ought to hold: it may have lost it. */
  refill: () => void
  stop: () => Promise<void>
}

/** What a vendor's queue holds at most of each priority: a second's work of the fastest vendor and more. It is filled up again as it empties. */
const WINDOW = 2_000
const SET_SIZE = 1_000
/** Without a notification the table is read this often. */
const POLL_MS = 1_000
/** Between sets, while jobs keep coming: they are handed over together. */
const BUSY_PAUSE_MS = 50
/** A job that was handed over this long ago and did not start is handed over again; a queue that still has it takes no notice. */
const REFILL_MS = 30_000
const RETRY_MS = 500
const STOP_MS = 2_000

/**
 * Hands jobs over from the table to the queue, and takes jobs back whose workers died. One process does it; the others stand
 * by. The table is the truth: whatever the queue loses is handed over again.
 */
export const createDispatcher = ({
  databaseUrl,
  sql,
  queue,
  log,
  leaseMs = LEASE_MS,
  onTurn = () => {},
}: DispatcherDeps): Dispatcher => {
  const leader = createLeader(databaseUrl, 'scrape-jobs-dispatcher')
  const alarm = createAlarm()
  let running: Promise<void> | null = null
  let stopped = true
  let refillAgeMs: number | null = null
  let refilledAt = 0
  /** The lead under which the queue was filled. */
  let filledUnder: Lead | null = null
  /** Since when workers could say without a break that they are alive, as far as this process can tell. */
  let steadySince: number | null = null
  let roundAt = 0

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

  const round = async (): Promise<void> => {
    const now = performance.now()
    // A process that was frozen cannot tell: perhaps all of them were.
    if (now - roundAt > leaseMs) steadySince = null
    roundAt = now
    const lead = await leader.lead()
    steadySince ??= now
    if (lead === null) {
      await alarm.wait(POLL_MS)
      return
    }
    if (lead !== filledUnder) {
      filledUnder = lead
      refillAgeMs = 0
      log.info('this process hands jobs over')
    }
    if (refillAgeMs === null && Date.now() - refilledAt > REFILL_MS) refillAgeMs = REFILL_MS
    if (refillAgeMs !== null) {
      const ageMs = refillAgeMs
      refillAgeMs = null
      await refill(ageMs)
      refilledAt = Date.now()
    }
    // While the database was away, nobody could extend a lease.
    if (now - steadySince > leaseMs) {
      const lost = await lead.begin(sql, (tx) => requeueExpiredJobs(tx, { mostTries: MOST_TRIES, limit: SET_SIZE }))
      if (lost > 0) log.warn({ jobs: lost }, 'workers were lost; their jobs are taken back')
    }
    const jobs = await lead.begin(sql, (tx) => takeUndispatchedJobs(tx, WINDOW))
    await handOver(jobs)
    if (jobs.length > 0) await Bun.sleep(BUSY_PAUSE_MS)
    else await alarm.wait(POLL_MS)
  }

  const run = async (): Promise<void> => {
    const warn = tellNowAndThen((error, times) =>
      log.warn({ err: error, times }, 'jobs could not be handed over; trying again'),
    )
    while (!stopped) {
      try {
        await round()
        onTurn()
      } catch (error) {
        if (stopped) return
        warn(error)
        steadySince = null
        // Of jobs that are marked as handed over, some may not have arrived.
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
      // A queue whose server is away keeps the last set waiting.
      await Promise.race([running, Bun.sleep(STOP_MS)])
      await leader.stop()
    },
  }
}

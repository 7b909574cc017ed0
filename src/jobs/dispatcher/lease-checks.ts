import type { Logger } from 'pino'
import type { Sql } from '../../../core/postgres/database'
import type { Lead } from '../../../core/postgres/leader/lead'
import { followClock } from '../../../drizzle/queries/jobs/dispatch/follow-clock'
import { requeueExpiredJobs } from '../../../drizzle/queries/jobs/dispatch/requeue-expired-jobs'
import { LOAD_LEASE_MS, MAX_ATTEMPTS } from '../../scrape/lease'
import { DRAIN_DEFAULTS } from '../../watches/drain-receiver'
import { watchDatabaseClock } from './database-clock'

const SET_SIZE = 1_000

/** Queues jobs of dead workers again, and follows the clock of the database, by which leases end. */
export class LeaseChecks {
  /** The time since which workers could extend their leases without interruption, as far as this process knows. */
  #steadySince: number | null = null
  #roundAt = 0
  #checkedAt = Number.NEGATIVE_INFINITY
  /** The leadership term in which the times were last corrected. Null: they must be corrected. */
  #correctedUnder: Lead | null = null
  readonly #readClock: ReturnType<typeof watchDatabaseClock>

  constructor(readonly deps: { sql: Sql; log: Logger; leaseMs: number; everyMs: number }) {
    this.#readClock = watchDatabaseClock(deps.sql)
  }

  /** A round begins. If the last one was long ago, this process was frozen, and perhaps the workers were too. */
  beginRound(): void {
    const now = performance.now()
    if (now - this.#roundAt > this.deps.leaseMs) this.interrupt()
    this.#roundAt = now
  }

  /** Workers may have been unable to extend their leases. They get time to do so. */
  interrupt(): void {
    this.#steadySince = null
  }

  /** Checks at most once per `everyMs`, and immediately under a new lead. Null: another process leads, and only the clock is watched. */
  async run(lead: Lead | null): Promise<void> {
    const { sql, log, leaseMs, everyMs } = this.deps
    const now = performance.now()
    this.#steadySince ??= now
    const isNew = lead !== null && lead !== this.#correctedUnder
    if (!isNew && now - this.#checkedAt < everyMs) return
    this.#checkedAt = now
    const clock = await this.#readClock()
    if (clock.change === 'forward') this.interrupt()
    if (lead === null) return
    if (clock.change === 'forward')
      log.warn('the clock of PostgreSQL was set forward; leases do not end because of that')
    if (clock.change === 'back') this.#correctedUnder = null
    // If this fails, it is repeated. Under a new lead: perhaps the former leader did not notice.
    if (lead !== this.#correctedUnder) await this.#correctTimes(lead)
    this.#correctedUnder = lead
    if (this.#steadySince === null || now - this.#steadySince <= leaseMs) return
    const expired = { at: clock.now, maxAttempts: MAX_ATTEMPTS, limit: SET_SIZE }
    const lost = await lead.begin(sql, (tx) => requeueExpiredJobs(tx, expired))
    if (lost > 0) log.warn({ jobs: lost }, 'leases expired, because workers were lost; their jobs are queued again')
  }

  /** After the clock of the database was set back, jobs, leases and webhooks would wait for as long as it was set back. */
  async #correctTimes(lead: Lead): Promise<void> {
    const { sql, log, leaseMs } = this.deps
    const longest = { leaseMs, workLeaseMs: LOAD_LEASE_MS, holdMs: DRAIN_DEFAULTS.longestHoldMs }
    let corrected = 0
    for (let last = SET_SIZE; last >= SET_SIZE; corrected += last)
      last = await lead.begin(sql, (tx) => followClock(tx, { ...longest, limit: SET_SIZE }))
    if (corrected > 0)
      log.warn(
        { rows: corrected },
        'the clock of PostgreSQL was set back; times of jobs, vendors and webhooks are corrected',
      )
  }
}

import type { Sql } from '../../core/postgres/database'
import { readClock } from '../../drizzle/queries/jobs/dispatch/follow-clock'

/** Clocks are also adjusted by some ms. */
const LEAST_CHANGE_MS = 500

/**
 * Watches the clock of the database. The function returns how the clock was set since the last call, by comparing it with this process's
 * monotonic clock.
 */
export const watchDatabaseClock = (sql: Sql): (() => Promise<'forward' | 'back' | null>) => {
  /** The least and the most that the clock was ahead, in ms: it was read between two looks at the monotonic clock. */
  let ahead: { least: number; most: number } | null = null
  return async () => {
    const askedAt = performance.now()
    const clock = await readClock(sql)
    const before = ahead
    ahead = { least: clock - performance.now(), most: clock - askedAt }
    if (before === null) return null
    if (ahead.least > before.most + LEAST_CHANGE_MS) return 'forward'
    return ahead.most < before.least - LEAST_CHANGE_MS ? 'back' : null
  }
}

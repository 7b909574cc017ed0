import type { Sql } from '../../../core/postgres/database'
import { readClock } from '../../../drizzle/queries/jobs/dispatch/follow-clock'

/** Clocks are also adjusted by some ms. */
const LEAST_CHANGE_MS = 500

export interface ClockReading {
  /** In ms since 1970. */
  now: number
  /** How the clock was set since the last reading. */
  change: 'forward' | 'back' | null
}

/** Reads the clock of the database, and notices when it is set by comparing it with this process's monotonic clock. */
export const watchDatabaseClock = (sql: Sql): (() => Promise<ClockReading>) => {
  /** The least and the most that the clock was ahead, in ms: it was read between two looks at the monotonic clock. */
  let ahead: { least: number; most: number } | null = null
  return async () => {
    const askedAt = performance.now()
    const now = await readClock(sql)
    const before = ahead ?? { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }
    ahead = { least: now - performance.now(), most: now - askedAt }
    if (ahead.least > before.most + LEAST_CHANGE_MS) return { now, change: 'forward' }
    return { now, change: ahead.most < before.least - LEAST_CHANGE_MS ? 'back' : null }
  }
}

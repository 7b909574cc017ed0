import type { Db } from '../../../core/postgres/database'

/**
 * When job `j` ends: the clock's time, because a transaction's `now()` may be before the start that it waited for. Never before
 * the start, even if the clock was set back. For an UPDATE: it has the row's lock by then.
 */
export const endTime = (db: Db) => db`greatest(clock_timestamp(), j.started_at)`

/** How long job `j` has run, in ms; null when it does not run. */
export const msSinceStart = (db: Db) =>
  db`(extract(epoch from greatest(clock_timestamp(), j.started_at) - j.started_at) * 1000)::int`

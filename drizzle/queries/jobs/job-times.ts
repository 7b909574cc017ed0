import type { Db } from '../../../core/postgres/database'

/**
 * When job `j` ends, by the clock. A transaction that waited for the job's start has a `now()` from before it. The result is never
 * before the start, even if the clock was set back. Use it in an UPDATE, which holds the row's lock when this is computed.
 */
export const endTime = (db: Db) => db`greatest(clock_timestamp(), j.started_at)`

/** How long job `j` has run, in ms; null when it is not running. */
export const msSinceStart = (db: Db) =>
  db`(extract(epoch from greatest(clock_timestamp(), j.started_at) - j.started_at) * 1000)::int`

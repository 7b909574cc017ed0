import type { Db, Fragment } from '../../../../core/postgres/database'
import { endTime, msSinceStart } from '../job-times'

/**
 * The failures of the running job `j`, with the current attempt added. `code` and `message` are SQL. Attempts are also in
 * `scrape_attempts`, but that table is for the tuner: it has no messages, and its rows are deleted within hours.
 */
export const addedFailure = (db: Db, { code, message }: { code: Fragment; message: Fragment }) => db`
  coalesce(j.failures, '[]') || jsonb_build_object('attempt', j.attempts, 'outcome', ${code}, 'error_message', ${message},
    'started_at', iso_utc(j.started_at), 'ended_at', iso_utc(${endTime(db)}),
    'duration_ms', ${msSinceStart(db)})`

/** The assignments, in an UPDATE, that cancel a queued or running job `j`. */
export const cancelledFields = (db: Db, message: string) => db`
  status = 'error', error_code = 'cancelled', failure_class = null, error_message = ${message}, updated_at = clock_timestamp(),
  finished_at = ${endTime(db)}, duration_ms = ${msSinceStart(db)}, lease_expires_at = null, dispatched_at = null,
  failures = case when j.status = 'queued' then j.failures
    else ${addedFailure(db, { code: db`'cancelled'`, message: db`${message}::text` })} end`

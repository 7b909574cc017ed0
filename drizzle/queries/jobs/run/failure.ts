import type { PendingQuery, Row } from 'postgres'
import type { Db } from '../../../../core/postgres/database'
import { endTime, msSinceStart } from '../job-times'

/**
 * The failures of the running job `j`, with the current attempt added. `code` and `message` are SQL. Attempts are also in
 * `scrape_attempts`, but that table is for the tuner: it has no messages, and its rows are deleted within hours.
 */
export const addedFailure = (
  db: Db,
  { code, message }: { code: PendingQuery<Row[]>; message: PendingQuery<Row[]> },
) => db`
  coalesce(j.failures, '[]') || jsonb_build_object('attempt', j.attempts, 'outcome', ${code}, 'error_message', ${message},
    'started_at', iso_utc(j.started_at), 'ended_at', iso_utc(${endTime(db)}),
    'duration_ms', ${msSinceStart(db)})`

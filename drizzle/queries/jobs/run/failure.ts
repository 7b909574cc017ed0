import type { PendingQuery, Row } from 'postgres'
import type { Db } from '../../../../core/postgres/database'
import { endTime, msSinceStart } from '../job-times'

/**
 * The failures of job `j`, which is running, with that of this try. `code` and `message` are SQL. Tries are also in
 * `scrape_attempts`, which is the tuner's, has no words and forgets within the hour.
 */
export const addedFailure = (
  db: Db,
  { code, message }: { code: PendingQuery<Row[]>; message: PendingQuery<Row[]> },
) => db`
  coalesce(j.failures, '[]') || jsonb_build_object('attempt', j.attempts, 'outcome', ${code}, 'error_message', ${message},
    'started_at', iso_utc(j.started_at), 'ended_at', iso_utc(${endTime(db)}),
    'duration_ms', ${msSinceStart(db)})`

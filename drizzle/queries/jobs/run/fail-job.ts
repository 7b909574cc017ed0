import type { Db } from '../../../../core/postgres/database'
import { endTime, msSinceStart } from '../job-times'
import { parcelHasJob } from '../parcel-has-job'
import { addedFailure } from './failure'

export interface FailedAttempt {
  id: string
  attempt: number
  code: string
  /** More specific than the code (core/sources/failure-classes.ts). Null: the code is specific enough. */
  failureClass?: string | null
  message: string
  /** The portal's Retry-After; null when it sent none. */
  retryAfterMs: number | null
  /** When to retry. Null: the job ends as an error. */
  retryInMs: number | null
  /** This service postponed the attempt to be polite to the portal. The attempt does not count and says nothing about the portal. */
  isPutOff?: boolean
}

/**
 * Ends an attempt as failed, if it is still the current one of a running job. The job is queued again for later, or ends. True: the
 * failure counts, because the attempt was current and not postponed.
 */
export const failJob = async (db: Db, { isPutOff = false, ...failed }: FailedAttempt): Promise<boolean> => {
  const counted = await db<{ id: string }[]>`
    with judged as (
      select j.id, j.started_at, ${failed.retryInMs !== null} and not ${parcelHasJob(db, 'queued')} as again
      from scrape_jobs j where j.id = ${failed.id} and j.attempts = ${failed.attempt} and j.status = 'running' for update
    ), ended as (
      update scrape_jobs j set status = (case when again then 'queued' else 'error' end)::job_status,
        error_code = ${failed.code}, failure_class = ${failed.failureClass ?? null}, error_message = ${failed.message}, lease_expires_at = null, updated_at = clock_timestamp(),
        handed_back = handed_back + ${isPutOff ? 1 : 0},
        failures = ${isPutOff ? db`j.failures` : addedFailure(db, { code: db`${failed.code}::text`, message: db`${failed.message}::text` })},
        not_before = now() + ${failed.retryInMs ?? 0} * interval '1 ms',
        started_at = case when again then null else j.started_at end,
        finished_at = case when again then null else ${endTime(db)} end,
        duration_ms = case when again then null else ${msSinceStart(db)} end
      from judged where j.id = judged.id
      returning j.id, j.attempts, j.vendor, judged.started_at
    )
    insert into scrape_attempts (job_id, attempt, vendor, outcome, retry_after_ms, duration_ms)
    select id, attempts, vendor, ${failed.code}, ${failed.retryAfterMs}::int, greatest(0, extract(epoch from clock_timestamp() - started_at) * 1000)
    from ended where ${!isPutOff}
    returning job_id as id`
  return counted.length > 0
}

import type { Db } from '../../../../core/postgres/database'
import { endTime, msSinceStart } from '../job-times'
import { parcelHasJob } from '../parcel-has-job'
import { addedFailure } from '../run/failure'

/**
 * Requeues up to `limit` jobs whose lease expired before `at`, in ms since 1970 by the clock of the database. A job that has had
 * `maxAttempts` attempts, or that a newer job replaces, ends as an error. Returns how many leases had expired.
 */
export const requeueExpiredJobs = async (
  db: Db,
  { at, maxAttempts, limit }: { at: number; maxAttempts: number; limit: number },
): Promise<number> => {
  const rows = await db`
    with expired as (
      select id from scrape_jobs where status = 'running' and lease_expires_at < to_timestamp(${at}::float8 / 1000)
      order by lease_expires_at limit ${limit} for update skip locked
    ), judged as (
      select j.id, j.started_at, j.attempts - j.handed_back >= ${maxAttempts} as spent, ${parcelHasJob(db, 'queued')} as replaced
      from expired join scrape_jobs j using (id) order by j.source, j.source_parcel_id
    ), ended as (
      update scrape_jobs j set status = (case when spent or replaced then 'error' else 'queued' end)::job_status,
        error_code = 'worker_lost', failure_class = null,
        error_message = 'its worker was lost' || case
          when spent then ' at attempt ' || (j.attempts - j.handed_back)
          when replaced then ', and a newer job of this parcel waits in its place' else '' end,
        failures = ${addedFailure(db, { code: db`'worker_lost'`, message: db`'its worker was lost'` })},
        lease_expires_at = null, not_before = now(), updated_at = clock_timestamp(),
        started_at = case when spent or replaced then j.started_at end,
        finished_at = case when spent or replaced then ${endTime(db)} end,
        duration_ms = case when spent or replaced then ${msSinceStart(db)} end
      from judged where j.id = judged.id
      returning j.id, j.attempts, j.vendor, judged.started_at
    )
    insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms)
    select id, attempts, vendor, 'worker_lost', greatest(0, extract(epoch from clock_timestamp() - started_at) * 1000) from ended
    returning 1`
  return rows.length
}

import type { Db } from '../../../core/postgres/database'
import type { FailedAttempt } from '../jobs/run/fail-job'

/**
 * Ends a try as failed, if it is still the current one: the crawl goes on later from its last page, or ends. The tuner hears of
 * it; pages that came are no jobs, and their time would say nothing of those.
 */
export const failCrawl = async (db: Db, failed: FailedAttempt): Promise<void> => {
  await db`
    with ended as (
      update crawls set status = (case when ${failed.retryInMs === null} then 'error' else 'queued' end)::job_status,
        failures = failures + 1, error_code = ${failed.code}, error_message = ${failed.message}, lease_expires_at = null,
        not_before = now() + ${failed.retryInMs ?? 0} * interval '1 ms',
        finished_at = case when ${failed.retryInMs === null} then greatest(clock_timestamp(), started_at) end
      where id = ${failed.id} and attempts = ${failed.attempt} and status = 'running'
      returning id, attempts, vendor
    )
    insert into scrape_attempts (job_id, attempt, vendor, outcome, retry_after_ms, duration_ms)
    select id, attempts, vendor, ${failed.code}, ${failed.retryAfterMs}::int, 0 from ended`
}

/** Queues the crawl of a try that ends before its time, through no fault of the portal's, to go on in `inMs`. */
export const handBackCrawl = async (
  db: Db,
  { id, attempt }: { id: string; attempt: number },
  inMs = 0,
): Promise<void> => {
  await db`
    update crawls set status = 'queued', lease_expires_at = null,
      not_before = date_trunc('milliseconds', now() + ${inMs} * interval '1 ms')
    where id = ${id} and attempts = ${attempt} and status = 'running'`
}

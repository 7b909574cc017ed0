import type { Transaction } from '../../../../core/postgres/database'
import { endTime, msSinceStart } from '../job-times'

/**
 * Ends running jobs as done. The caller holds their locks (`lockCurrentJobs`). `waitedMs` is how long a job waited for its turn at a
 * host. The tuner gets the duration without it, because the wait says nothing about the speed of the portal.
 */
export const completeJobs = async (
  tx: Transaction,
  jobs: readonly { id: string; waitedMs?: number | undefined }[],
): Promise<void> => {
  if (jobs.length === 0) return
  const ids = jobs.map(({ id }) => id)
  await tx`
    with done as (
      update scrape_jobs j set status = 'done', error_code = null, failure_class = null, error_message = null, lease_expires_at = null,
        finished_at = ${endTime(tx)}, updated_at = clock_timestamp(), duration_ms = ${msSinceStart(tx)}
      where id = any(${ids}::uuid[])
      returning id, attempts, vendor, duration_ms
    )
    insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms)
    select id, attempts, vendor, 'done', greatest(0, duration_ms - waited_ms)
    from done join unnest(${ids}::uuid[], ${jobs.map(({ waitedMs = 0 }) => waitedMs)}::int[]) as w (id, waited_ms) using (id)`
}

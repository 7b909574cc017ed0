import type { Transaction } from '../database'

/** Ends running jobs as done. The caller holds their locks (`lockCurrentJobs`). */
export const completeJobs = async (tx: Transaction, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await tx`
    with done as (
      update scrape_jobs set status = 'done', error_code = null, error_message = null, lease_expires_at = null,
        finished_at = now(), updated_at = now(), duration_ms = extract(epoch from now() - started_at) * 1000
      where id = any(${[...ids]}::uuid[])
      returning id, attempts, vendor, duration_ms
    )
    insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms)
    select id, attempts, vendor, 'done', duration_ms from done`
}

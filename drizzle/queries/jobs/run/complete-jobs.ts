import type { Transaction } from '../../../../core/postgres/database'
import { endTime, msSinceStart } from '../job-times'

/** An attempt that got a result. */
export interface CompletedAttempt {
  id: string
  attempt: number
  /** How long it waited for its turn at a host. The tuner gets the duration without it, because it says nothing about the portal's speed. */
  waitedMs?: number | undefined
}

/**
 * Ends the jobs of these attempts as done, and returns the attempts that were still current in a running job. Call it before writing the
 * results: the jobs stay locked until the transaction ends, so nobody can cancel, requeue or end them meanwhile.
 *
 * The cast keeps `status` out of the choice of an index: with the statistics of an empty table, the planner would read the index of running
 * jobs, which still lists thousands of jobs that have just ended.
 */
export const completeJobs = async (
  tx: Transaction,
  attempts: readonly CompletedAttempt[],
): Promise<{ id: string; attempt: number }[]> => {
  if (attempts.length === 0) return []
  // Everyone who completes several jobs locks them in this order.
  const sorted = attempts.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  return tx<{ id: string; attempt: number }[]>`
    with done as (
      update scrape_jobs j set status = 'done', error_code = null, failure_class = null, error_message = null, lease_expires_at = null,
        finished_at = ${endTime(tx)}, updated_at = clock_timestamp(), duration_ms = ${msSinceStart(tx)}
      from unnest(${sorted.map(({ id }) => id)}::uuid[], ${sorted.map(({ attempt }) => attempt)}::int[],
        ${sorted.map(({ waitedMs = 0 }) => waitedMs)}::int[]) as mine (id, attempts, waited_ms)
      where j.id = mine.id and j.attempts = mine.attempts and j.status::text = 'running'
      returning j.id, j.attempts, j.vendor, j.duration_ms, mine.waited_ms
    )
    insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms)
    select id, attempts, vendor, 'done', greatest(0, duration_ms - waited_ms) from done
    returning job_id as id, attempt`
}

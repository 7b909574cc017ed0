import { traceparentNow } from '../../../../core/observe/with-span'
import type { Db, Transaction } from '../../../../core/postgres/database'
import type { JobStatus } from '../../../schema/values'
import { orderedBy } from './ordered-by'
import { type Requester, watchersOf } from './watchers'

export interface JobToRun {
  source: string
  sourceParcelId: string
  overrides: Record<string, unknown>
  requester: Requester | null
  /** When this lease expires, the job goes to the workers. */
  leaseMs: number
}

/**
 * Inserts a job that is already running its first attempt, and returns its id. Null when the parcel has a running job, or the vendor
 * is at its `max_concurrency` or paused. The lock on the vendor lets one transaction at a time count the vendor's jobs. It needs a separate
 * statement: a statement that waits for a lock counts the jobs that ran before the wait.
 */
export const insertRunningJob = async (tx: Transaction, job: JobToRun): Promise<string | null> => {
  await tx`
    select from vendor_concurrency where vendor = (select vendor from sources where source = ${job.source})
    for no key update`
  const [row] = await tx<{ id: string }[]>`
    insert into scrape_jobs
      (source, source_parcel_id, vendor, status, priority, overrides, attempts, requested_by, ordered_by, watchers, traceparent,
        started_at, lease_expires_at)
    select s.source, ${job.sourceParcelId}, s.vendor, 'running', 'high', ${JSON.stringify(job.overrides)}::text::jsonb, 1,
      ${job.requester?.name ?? null}, ${orderedBy(tx, job.requester)}, ${watchersOf(tx, job.requester)}, ${traceparentNow()},
      clock_timestamp(), clock_timestamp() + ${job.leaseMs} * interval '1 ms'
    from sources s left join vendor_concurrency v using (vendor)
    where s.source = ${job.source} and not is_paused(v.paused_at, v.paused_until) and (
      v.vendor is null
      or (select count(*) from scrape_jobs r where r.status = 'running' and r.vendor = s.vendor) < v.max_concurrency
    )
    on conflict (source, source_parcel_id, status) where status in ('queued', 'running') do nothing
    returning id`
  return row?.id ?? null
}

export interface RunningJob {
  id: string
  overrides: Record<string, unknown>
}

/** The running job of a parcel; null when it has none. */
export const findRunningJob = async (
  db: Db,
  { source, sourceParcelId }: { source: string; sourceParcelId: string },
): Promise<RunningJob | null> => {
  const [row] = await db<RunningJob[]>`
    select id, overrides from scrape_jobs
    where source = ${source} and source_parcel_id = ${sourceParcelId} and status = 'running'`
  return row ?? null
}

export interface JobState {
  status: JobStatus
  errorCode: string | null
  errorMessage: string | null
}

/** The state of a job; null when it was deleted. */
export const findJobState = async (db: Db, id: string): Promise<JobState | null> => {
  const [row] = await db<JobState[]>`
    select status, error_code as "errorCode", error_message as "errorMessage" from scrape_jobs where id = ${id}`
  return row ?? null
}

import type { Db } from '../../../../core/postgres/database'
import { endTime, msSinceStart } from '../job-times'
import { parcelHasJob } from '../parcel-has-job'
import { addedFailure } from './failure'

/** Why attempts were stopped. */
export interface HandBack {
  code: 'worker_stopped' | 'vendor_paused'
  message: string
}

/** Requeues jobs whose attempts were stopped. The attempt does not count. A job that a newer one replaces ends as an error. */
export const handBackJobs = async (
  db: Db,
  running: readonly { id: string; attempt: number }[],
  { code, message }: HandBack = { code: 'worker_stopped', message: 'its worker stopped' },
): Promise<void> => {
  await db`
    with judged as (
      select j.id, not ${parcelHasJob(db, 'queued')} as again
      from unnest(${running.map(({ id }) => id)}::uuid[], ${running.map(({ attempt }) => attempt)}::int[]) as mine (id, attempts)
      join scrape_jobs j using (id, attempts)
      where j.status = 'running' order by j.id for update of j
    )
    update scrape_jobs j set status = (case when again then 'queued' else 'error' end)::job_status,
      error_code = case when again then j.error_code else ${code} end,
      failure_class = case when again then j.failure_class end,
      error_message = case when again then j.error_message
        else ${`${message}, and a newer job of this parcel waits in its place`} end,
      failures = ${addedFailure(db, { code: db`${code}::text`, message: db`${message}::text` })},
      handed_back = handed_back + 1, lease_expires_at = null, not_before = now(), updated_at = clock_timestamp(),
      started_at = case when again then null else j.started_at end,
      finished_at = case when again then null else ${endTime(db)} end,
      duration_ms = case when again then null else ${msSinceStart(db)} end
    from judged where j.id = judged.id`
}

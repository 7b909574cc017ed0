import { CHANNELS } from '../../../../core/channels'
import type { Db } from '../../../../core/postgres/database'
import { type JobScope, sourcesOf } from '../job-totals'
import { cancelledFields } from '../run/failure'

export interface JobsToCancel extends JobScope {
  status: 'queued' | 'running' | null
  limit: number
}

/**
 * Ends up to `limit` queued or running jobs of a scope as errors with `message`, and notifies the workers of the running ones. Returns how
 * many.
 */
export const cancelJobs = async (
  db: Db,
  { status, limit, ...scope }: JobsToCancel,
  message: string,
): Promise<number> => {
  const [row] = await db<{ cancelled: number; told: number }[]>`
    with chosen as (
      select j.id, j.status = 'running' as was_running from sources s join scrape_jobs j using (source)
      where ${sourcesOf(db, scope)} and ${status === null ? db`j.status in ('queued', 'running')` : db`j.status = ${status}`}
      order by j.source, j.source_parcel_id limit ${limit} for update of j
    ), cancelled as (
      update scrape_jobs j set ${cancelledFields(db, message)}
      from chosen where j.id = chosen.id returning j.id, was_running
    ), told as materialized (select pg_notify(${CHANNELS.jobCancelled}, id::text) from cancelled where was_running)
    select (select count(*)::int from cancelled) as cancelled, (select count(*)::int from told) as told`
  return row?.cancelled ?? 0
}

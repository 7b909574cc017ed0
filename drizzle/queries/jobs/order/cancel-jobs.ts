import { CHANNELS } from '../../../../core/channels'
import type { Db } from '../../../../core/postgres/database'
import { onlyRow } from '../../../../core/postgres/only-row'
import { type JobScope, sourcesOf } from '../job-totals'
import { cancelledFields } from '../run/failure'

export interface JobsToCancel extends JobScope {
  status: 'queued' | 'running' | null
  limit: number
}

/**
 * Ends up to `limit` queued or running jobs of a scope as errors with `message`, and notifies the workers of the running ones. Returns how
 * many.
 *
 * Running jobs are locked in order of their ids, as by workers that store them, and the others in order of their keys, as by callers that
 * queue them: the opposite order would cause deadlocks. A job that starts meanwhile is cancelled as well.
 */
export const cancelJobs = async (db: Db, jobs: JobsToCancel, message: string): Promise<number> => {
  const rows = await cancelChosenJobs(db, jobs, message)
  return onlyRow(rows).cancelled
}

/**
 * The sources are an array, because PostgreSQL looks for it in the index. For a join, it read the jobs of all sources if one of them had nearly
 * all.
 */
export const cancelChosenJobs = (db: Db, { status, limit, ...scope }: JobsToCancel, message: string) => db<
  { cancelled: number; told: number }[]
>`
  with running as materialized (
    select j.id, true as was_running from sources s join scrape_jobs j using (source)
    where ${sourcesOf(db, scope)} and j.status = 'running' order by j.id limit ${status === 'queued' ? 0 : limit} for update of j
  ), others as materialized (
    select j.id, j.status = 'running' as was_running from scrape_jobs j
    where j.source = any(array(select s.source from sources s where ${sourcesOf(db, scope)}))
      and ${status === null ? db`j.status in ('queued', 'running')` : db`j.status = ${status}`}
      and j.id not in (select id from running)
    order by j.source, j.source_parcel_id limit ${limit} - (select count(*) from running) for update of j
  ), chosen as (
    select * from running union all select * from others
  ), cancelled as (
    update scrape_jobs j set ${cancelledFields(db, message)}
    from chosen where j.id = chosen.id returning j.id, was_running
  ), told as materialized (select pg_notify(${CHANNELS.jobCancelled}, id::text) from cancelled where was_running)
  select (select count(*)::int from cancelled) as cancelled, (select count(*)::int from told) as told`

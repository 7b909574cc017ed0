import { CHANNELS } from '../../../core/channels'
import type { Db, Fragment } from '../../../core/postgres/database'
import type { JobStatus } from '../../schema/values'
import { classOfJob } from '../sources/source-runs'
import { cancelledFields } from './run/failure'

/** The fields that callers see. `j` is the job. */
const jobFields = (db: Db) => db`
  j.id, j.source, j.source_parcel_id, j.vendor, j.status, j.priority, j.error_message, j.attempts, iso_utc(j.created_at) as created_at,
  iso_utc(j.updated_at) as updated_at, iso_utc(j.started_at) as started_at, iso_utc(j.finished_at) as finished_at, j.duration_ms`

export interface JobPage {
  status: JobStatus | null
  source: string | null
  /** The id as the source writes it. Without `source`, jobs of all sources with such a parcel. */
  sourceParcelId?: string | null
  /** Only failed jobs of this class (core/sources/failure-classes.ts). Needs `source`, whose failed jobs are read until the page is full. */
  failureClass?: string | null
  /** Only jobs before this id. Ids grow with time. */
  after: string | null
  limit: number
}

export interface JobRow {
  id: string
  /** JSON text. */
  body: string
}

/**
 * Jobs, newest first. There are indexes for the jobs of one status, and of one source and status, in this order. For all statuses of
 * a source, one page of each status is read and the pages are merged, so no source is sorted or scanned as a whole.
 *
 * The conditions are written as index ranges, with the index's full order. With `=`, the planner could instead filter the jobs of all
 * sources in order of ids. That looks cheap, but reads a million rows if the matches are rare or far away.
 *
 * A parcel has few jobs. Ended ones have an index, and the others are looked up source by source.
 */
export const listJobs = (
  db: Db,
  { status, source, sourceParcelId = null, failureClass = null, after, limit }: JobPage,
): Promise<JobRow[]> => {
  const before = after === null ? db`` : db`and j.id < ${after}`
  const ofStatus = (wanted: Fragment) => db`
    select j.* from scrape_jobs j
    where j.status >= ${wanted} and ${after === null ? db`j.status <= ${wanted}` : db`(j.status, j.id) < (${wanted}, ${after})`}
    order by j.status desc, j.id desc limit ${limit}`
  const ofSource = (wanted: Fragment) => db`
    select j.* from scrape_jobs j
    where (j.source, j.status) >= (${source}, ${wanted})
      and ${after === null ? db`(j.source, j.status) <= (${source}, ${wanted})` : db`(j.source, j.status, j.id) < (${source}, ${wanted}, ${after})`}
    order by j.source desc, j.status desc, j.id desc limit ${limit}`
  const ofParcel = () => db`
    select j.* from scrape_jobs j
    where j.source_parcel_id = ${sourceParcelId} and j.status in ('done', 'error')
      ${source === null ? db`` : db`and j.source = ${source}`} ${status === null ? db`` : db`and j.status = ${status}`} ${before}
    union all
    select live.* from ${source === null ? db`sources` : db`(select ${source} as source)`} s cross join lateral (
      select j.* from scrape_jobs j
      where j.source = s.source and j.source_parcel_id = ${sourceParcelId} and j.status in ('queued', 'running')
        ${status === null ? db`` : db`and j.status = ${status}`} ${before}
    ) live
    order by id desc limit ${limit}`
  const ofClass = () => db`
    select j.* from scrape_jobs j
    where j.source = ${source} and j.status = 'error' and ${classOfJob(db)} = ${failureClass} ${before}
    order by j.id desc limit ${limit}`
  const page =
    failureClass !== null
      ? ofClass()
      : sourceParcelId !== null
        ? ofParcel()
        : source === null
          ? status === null
            ? db`select j.* from scrape_jobs j where true ${before} order by j.id desc limit ${limit}`
            : ofStatus(db`${status}::job_status`)
          : db`
        select of_status.* from unnest(${status === null ? db`enum_range(null::job_status)` : db`array[${status}]::job_status[]`}) as wanted (status)
        cross join lateral (${ofSource(db`wanted.status`)}) of_status
        order by id desc limit ${limit}`
  return db<JobRow[]>`
    select id, row_to_json((select job from (select ${jobFields(db)}) job))::text as body
    from (${page}) j order by id desc`
}

/** One job as JSON text; null when there is none. */
export const findJob = async (db: Db, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(job)::text as body from (select ${jobFields(db)} from scrape_jobs j where j.id = ${id}) job`
  return row?.body ?? null
}

/**
 * All attempts of a job as JSON text, oldest first: the failed ones, then the running one with `outcome` null or the successful one
 * with `outcome` `done`. With `requestedBy`, also who requested the job. Null when there is no such job.
 */
export const findAttempts = async (db: Db, id: string, options: { requestedBy: boolean }): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select json_build_object(
      ${options.requestedBy ? db`'requested_by', j.requested_by,` : db``}
      'attempts', coalesce(j.failures, '[]') || case when j.status in ('running', 'done') then jsonb_build_array(jsonb_build_object(
        'attempt', j.attempts, 'outcome', case j.status when 'done' then 'done' end, 'error_message', null,
        'started_at', iso_utc(j.started_at), 'ended_at', iso_utc(j.finished_at), 'duration_ms', j.duration_ms
      )) else '[]' end
    )::text as body
    from scrape_jobs j where j.id = ${id}`
  return row?.body ?? null
}

/**
 * Ends a queued or running job as an error with `message`, and notifies its worker. Later results of the job are not stored. Returns
 * the job as JSON text; null when there is none, or it has ended.
 */
export const cancelJob = async (db: Db, id: string, message: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    with cancelled as (
      update scrape_jobs j set ${cancelledFields(db, message)}
      where id = ${id} and status in ('queued', 'running') returning *
    ), told as materialized (select pg_notify(${CHANNELS.jobCancelled}, id::text) from cancelled)
    select row_to_json(job)::text as body from (select ${jobFields(db)} from cancelled j cross join told) job`
  return row?.body ?? null
}

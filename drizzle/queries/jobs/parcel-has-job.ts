import type { Db } from '../../../core/postgres/database'

/**
 * Whether the parcel of job `j` has a queued or a running job. A parcel has at most one of each, so this is a look-up in the unique index.
 * `offset 0` keeps `status` out of it: with the statistics of an empty table, the planner would look for the parcel among all queued or
 * running jobs of the source.
 */
export const parcelHasJob = (db: Db, status: 'queued' | 'running') => db`exists (
  select from (
    select o.status from scrape_jobs o
    where o.source = j.source and o.source_parcel_id = j.source_parcel_id and o.status in ('queued', 'running') offset 0
  ) live where live.status = ${status}
)`

import { CHANNELS } from '../../../../core/channels'
import { traceparentNow } from '../../../../core/observe/with-span'
import type { Db } from '../../../../core/postgres/database'
import { classOfJob } from '../../sources/source-runs'
import { orderedAgainBy, orderedBy } from './ordered-by'
import { joinedWatchers, type Requester, watchersOf } from './watchers'

/** Whose failed jobs are retried: those of one source, or of all sources of a vendor. */
export type RetryScope = { source: string } | { vendor: string }

export interface RetryCounts {
  /** Parcels whose last job failed this way. */
  failed: number
  queued: number
  /** Parcels that were queued or running already. */
  alreadyQueued: number
  /** Parcels beyond `limit`. */
  left: number
}

/**
 * Requeues parcels whose last ended job failed with `failureClass`, oldest failure first, at most `limit`, in one statement. Each keeps
 * the overrides and the watchers of its failed job. Repeating the call queues only the remaining parcels. Null for an unknown source or
 * vendor.
 */
export const retryFailedJobs = async (
  db: Db,
  scope: RetryScope,
  failed: { failureClass: string; limit: number },
  requester: Requester,
): Promise<RetryCounts | null> => {
  const [counts] = await retryChosenJobs(db, scope, failed, requester)
  return counts ?? null
}

export const retryChosenJobs = (
  db: Db,
  scope: RetryScope,
  { failureClass, limit }: { failureClass: string; limit: number },
  requester: Requester,
) => db<RetryCounts[]>`
  with asked as materialized (
    select source, vendor from sources
    where retired_at is null and ${'source' in scope ? db`source = ${scope.source}` : db`vendor = ${scope.vendor}`}
  ), failed as (
    select distinct on (j.source, j.source_parcel_id) j.id, j.source, j.source_parcel_id, asked.vendor, j.overrides, j.watchers
    from asked cross join lateral (
      -- The range has only one source. For a join, PostgreSQL read the errors of all sources if one of them had nearly all.
      select * from scrape_jobs j
      where j.source >= asked.source and j.source <= asked.source and j.status = 'error' and ${classOfJob(db)} = ${failureClass} offset 0
    ) j
    order by j.source, j.source_parcel_id, j.id desc
  ), current as materialized (
    select f.*, exists (
      select from scrape_jobs q
      where q.source = f.source and q.source_parcel_id = f.source_parcel_id and q.status in ('queued', 'running')
    ) as is_queued
    from failed f where not exists (
      select from scrape_jobs later
      where later.source_parcel_id = f.source_parcel_id and later.id > f.id and later.status in ('done', 'error')
        and later.source = f.source
    )
  ), chosen as (
    select * from current where not is_queued order by id limit ${limit}
  ), queued as (
    insert into scrape_jobs as j (source, source_parcel_id, vendor, overrides, requested_by, ordered_by, watchers, traceparent)
    select source, source_parcel_id, vendor, overrides, ${requester.name}, ${orderedBy(db, requester)},
      ${joinedWatchers(db, db`chosen.watchers`, watchersOf(db, requester))}, ${traceparentNow()}
    from chosen order by source, source_parcel_id
    on conflict (source, source_parcel_id, status) where status in ('queued', 'running')
      do update set updated_at = now(), ordered_by = ${orderedAgainBy(db)},
        traceparent = coalesce(j.traceparent, excluded.traceparent),
        watchers = ${joinedWatchers(db, db`j.watchers`, db`excluded.watchers`)}
    returning (xmax = 0) as is_new
  ), counted as (
    select count(*) filter (where is_new)::int as queued, count(*) filter (where not is_new)::int as raced from queued
  ), told as materialized (select pg_notify(${CHANNELS.jobsQueued}, '') from counted where queued > 0)
  select n.failed, counted.queued, n.queued_before + counted.raced as "alreadyQueued",
    n.failed - n.queued_before - counted.queued - counted.raced as left
  from (
    select count(*)::int as failed, count(*) filter (where is_queued)::int as queued_before from current
  ) n cross join counted left join told on true
  where exists (select from asked)`

import { CHANNELS } from '../../../../core/channels'
import type { Db } from '../../../../core/postgres/database'
import { traceparentNow } from '../../../../core/with-span'
import { cadenceInterval } from '../../refreshes/cadence-interval'
import { orderedAgainBy, orderedBy } from './ordered-by'
import { joinedWatchers, type Requester, watchersOf } from './watchers'

export interface AgriculturalCounts {
  considered: number
  enqueued: number
  skippedFresh: number
  alreadyQueued: number
}

/**
 * Queues up to `limit` agricultural parcels of a source in one statement, in order of their ids. With `skipFresh`, parcels that were
 * scraped within the source's cadence are skipped and do not count toward the limit. Null for an unknown source.
 */
export const enqueueAgricultural = async (
  db: Db,
  { source, limit, skipFresh }: { source: string; limit: number; skipFresh: boolean },
  requester: Requester | null,
): Promise<AgriculturalCounts | null> => {
  const [counts] = await db<AgriculturalCounts[]>`
    with asked as materialized (
      select s.source, s.vendor, case when ${skipFresh} then now() - ${cadenceInterval(db)} end as fresh_since
      from sources s join source_refresh_policies p using (source) where s.source = ${source}
    ), chosen as materialized (
      select p.id, p.source, p.source_parcel_id, asked.vendor from asked join live_parcels p using (source)
      where p.is_agricultural and (p.scraped_at > asked.fresh_since) is not true
      order by p.id limit ${limit}
    ), fresh as (
      select count(*)::int as n from asked join live_parcels p using (source)
      where p.is_agricultural and p.scraped_at > asked.fresh_since
        and ((select count(*) from chosen) < ${limit} or p.id < (select id from chosen order by id desc limit 1))
    ), queued as (
      insert into scrape_jobs as j (source, source_parcel_id, vendor, requested_by, ordered_by, watchers, traceparent)
      select source, source_parcel_id, vendor, ${requester?.name ?? null},
        ${orderedBy(db, requester)}, ${watchersOf(db, requester)}, ${traceparentNow()} from chosen
      order by source, source_parcel_id
      on conflict (source, source_parcel_id, status) where status in ('queued', 'running')
        do update set updated_at = now(), ordered_by = ${orderedAgainBy(db)},
          traceparent = coalesce(j.traceparent, excluded.traceparent),
          watchers = ${joinedWatchers(db, db`j.watchers`, db`excluded.watchers`)}
      returning (xmax = 0) as is_new
    ), counted as (
      select count(*) filter (where is_new)::int as enqueued, count(*) filter (where not is_new)::int as already_queued from queued
    ), told as materialized (select pg_notify(${CHANNELS.jobsQueued}, '') from counted where enqueued > 0)
    select fresh.n + enqueued + already_queued as considered, enqueued, fresh.n as "skippedFresh",
      already_queued as "alreadyQueued"
    from asked cross join fresh cross join counted left join told on true`
  return counts ?? null
}

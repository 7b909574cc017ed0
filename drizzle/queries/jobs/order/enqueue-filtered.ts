import { CHANNELS } from '../../../../core/channels'
import { traceparentNow } from '../../../../core/observe/with-span'
import type { ParcelFilter } from '../../../../core/parcels/filter'
import type { Db } from '../../../../core/postgres/database'
import { onlyRow } from '../../../../core/postgres/only-row'
import { FILE_VENDOR } from '../../../../core/sources/file-vendor'
import { parcelFilter } from '../../parcels/parcel-filter'
import { cadenceInterval } from '../../refreshes/cadence-interval'
import { orderedAgainBy, orderedBy } from './ordered-by'
import { joinedWatchers, type Requester, watchersOf } from './watchers'

export interface ParcelsToEnqueue {
  filter: ParcelFilter
  limit: number
  /** Parcels that were scraped within their source's cadence are skipped, and do not count toward the limit. */
  skipFresh: boolean
}

export interface EnqueuedCounts {
  considered: number
  enqueued: number
  skippedFresh: number
  alreadyQueued: number
}

/** Parcels `p` of the filter that have a portal, with `is_fresh` and their vendor, in order of their ids. */
const wantedParcels = (db: Db, { filter, skipFresh }: Omit<ParcelsToEnqueue, 'limit'>) => db`
  select p.id, p.source, p.source_parcel_id, s.vendor,
    ${skipFresh ? db`(p.scraped_at > s.fresh_since) is true` : db`false`} as is_fresh
  from parcels p join (
    select source, vendor, now() - ${cadenceInterval(db)} as fresh_since from sources join source_refresh_policies p using (source)
    where retired_at is null and vendor <> ${FILE_VENDOR}
  ) s using (source)
  where true ${parcelFilter(db, filter)}`

/** Queues up to `limit` parcels of the filter in one statement, in order of their ids. */
export const enqueueFiltered = async (
  db: Db,
  wanted: ParcelsToEnqueue,
  requester: Requester | null,
): Promise<EnqueuedCounts> => {
  const rows = await db<EnqueuedCounts[]>`
    with chosen as materialized (
      select * from (${wantedParcels(db, wanted)}) p where not is_fresh order by id limit ${wanted.limit}
    ), fresh as (
      select count(*)::int as n from (${wantedParcels(db, wanted)}) p
      where is_fresh and ((select count(*) from chosen) < ${wanted.limit} or p.id < (select id from chosen order by id desc limit 1))
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
    from fresh cross join counted left join told on true`
  return onlyRow(rows)
}

/** How many parcels of a vendor an order has. */
export interface VendorParcels {
  vendor: string
  parcels: number
  skippedFresh: number
}

export const countFiltered = (db: Db, wanted: Omit<ParcelsToEnqueue, 'limit'>): Promise<VendorParcels[]> => db<
  VendorParcels[]
>`
  select vendor, count(*) filter (where not is_fresh)::int as parcels, count(*) filter (where is_fresh)::int as "skippedFresh"
  from (${wantedParcels(db, wanted)}) p group by vendor`

import type { ParcelFilter } from '../../../core/parcels/filter'
import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { type Circle, REACH } from './list-candidates'
import { isSettled } from './list-parcels'
import { candidateFilter, meets, parcelFilter } from './parcel-filter'

/** How many parcels surely meet a condition because of their box. For the others, the boundary decides. */
export interface CandidateCount {
  settled: number
  onEdge: number
}

export const countCandidates = async (db: Db, filter: ParcelFilter): Promise<CandidateCount> => {
  const rows = await db<CandidateCount[]>`
    select count(*) filter (where ${isSettled(db, filter)})::int as settled,
      count(*) filter (where not ${isSettled(db, filter)})::int as "onEdge"
    from parcels p where true ${candidateFilter(db, filter)}`
  return onlyRow(rows)
}

/** The boundaries of the parcels on the edge of the filter's box, as GeoJSON texts. */
export const streamEdge = (db: Db, filter: ParcelFilter, batchSize: number): AsyncIterable<{ boundary: string }[]> =>
  db<{ boundary: string }[]>`
    select p.geom::text as boundary from parcels p
    where p.geom is not null and not ${isSettled(db, filter)} ${candidateFilter(db, filter)}`.cursor(batchSize)

/** A circle is compared with boxes to about a millimeter. */
const MARGIN_M = 0.001

export const countNearby = async (db: Db, filter: ParcelFilter, circle: Circle): Promise<CandidateCount> => {
  const { lon, lat, radiusM, boxes } = circle
  const rows = await db<CandidateCount[]>`
    select count(*) filter (where reach."farthestM" < ${radiusM - MARGIN_M})::int as settled,
      count(*) filter (where reach."farthestM" >= ${radiusM - MARGIN_M})::int as "onEdge"
    from parcels p cross join (select ${lon}::float8 as lon, ${lat}::float8 as lat) point cross join lateral (${db.unsafe(REACH)}) reach
    where (${meets(db, boxes)}) ${parcelFilter(db, filter)} and reach."nearestM" <= ${radiusM}`
  return onlyRow(rows)
}

/** The boundaries of the parcels that may be partly in a circle, as GeoJSON texts. Null: a point, which is in the circle. */
export const streamNearbyEdge = (
  db: Db,
  filter: ParcelFilter,
  { lon, lat, radiusM, boxes }: Circle,
  batchSize: number,
): AsyncIterable<{ boundary: string | null }[]> =>
  db<{ boundary: string | null }[]>`
    select p.geom::text as boundary
    from parcels p cross join (select ${lon}::float8 as lon, ${lat}::float8 as lat) point cross join lateral (${db.unsafe(REACH)}) reach
    where (${meets(db, boxes)}) ${parcelFilter(db, filter)}
      and reach."nearestM" <= ${radiusM} and reach."farthestM" >= ${radiusM - MARGIN_M}`.cursor(batchSize)

/** Estimates how many parcels meet a filter by their box, from a sample of about `rows` rows. */
export const estimateCandidates = async (db: Db, filter: ParcelFilter, rows: number): Promise<number> => {
  const [size] = await db<
    { n: number }[]
  >`select greatest(1, reltuples)::float8 as n from pg_class where oid = 'parcels'::regclass`
  const share = Math.min(1, rows / (size?.n ?? 1))
  const [row] = await db<{ n: number }[]>`
    select count(*)::int as n from parcels p tablesample system (${100 * share}::float4) repeatable (7)
    where true ${candidateFilter(db, filter)}`
  return Math.round((row?.n ?? 0) / share)
}

/**
 * How many parcels a filter selects; counts up to `atMost`. For a box, it also counts parcels whose bounding box meets it but whose
 * boundary does not.
 */
export const countCandidatesUpTo = async (db: Db, filter: ParcelFilter, atMost: number | null): Promise<number> => {
  const rows = await db<{ n: number }[]>`
    select count(*)::float8 as n from (select from parcels p where true ${parcelFilter(db, filter)} limit ${atMost}) p`
  return onlyRow(rows).n
}

/** Whether a filter selects a parcel that has a point and no boundary. */
export const hasPoints = async (db: Db, filter: ParcelFilter): Promise<boolean> => {
  const rows = await db<{ some: boolean }[]>`
    select exists (
      select from parcels p where p.geom is null and p.lon is not null ${parcelFilter(db, filter)}
    ) as some`
  return onlyRow(rows).some
}

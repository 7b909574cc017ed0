import type { ParcelFilter } from '../../../core/parcels/filter'
import type { Db, Fragment } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { parcelFilter } from '../parcels/parcel-filter'
import { type ParcelSearchRow, parcelColumns } from './search-documents'

/** The parcels of one owner: their number, their box, and up to `limit` of them by source and id. */
export interface OwnerMembers {
  ownerName: string
  memberCount: number
  bbox: [west: number, south: number, east: number, north: number] | null
  parcels: ParcelSearchRow[]
}

/** A page of the parcels of one owner, by source and id, after `after`, and the number of all of them. */
export const listOwnerMembersAfter = async (
  db: Db,
  ownerName: string,
  filter: ParcelFilter,
  after: { source: string; id: string } | null,
  limit: number,
): Promise<{ memberCount: number; parcels: ParcelSearchRow[] }> => {
  const rows = await db<{ memberCount: number; parcels: ParcelSearchRow[] }[]>`
    with owned as materialized (
      select p.* from ${ownedParcels(db, db`${ownerName}::text`)} p join sources s using (source)
      where ${nameKey(db, db`p.owner_name`)} = ${nameKey(db, db`${ownerName}::text`)} ${parcelFilter(db, filter)}
    )
    select (select count(*)::int from owned) as "memberCount", (
      select coalesce(json_agg(page), '[]') from (
        select ${parcelColumns(db)} from owned p join sources s using (source)
        ${after === null ? db`` : db`where (p.source collate "C", p.source_parcel_id collate "C") > (${after.source}, ${after.id})`}
        order by p.source collate "C", p.source_parcel_id collate "C" limit ${limit}
      ) page
    ) as parcels`
  return onlyRow(rows)
}

/** The parcels with the normalized name of an owner. */
const ownedParcels = (db: Db, name: Fragment) => db`(
  -- An index cannot serve "is not distinct from": with 1,000,000 parcels, each name read all of them. Names whose normalized
  -- form is null ("LLC") are searched separately, and only if the wanted name is one.
  select * from parcels where owner_name_normalized = normalize_name(${name})
  union all
  select * from parcels where normalize_name(${name}) is null and owner_name_normalized is null
)`

/** The name as the key of a group, as `ownerKey` of the search computes it. */
const nameKey = (db: Db, name: Fragment) => db`lower(regexp_replace(btrim(${name}), '\\s+', ' ', 'g'))`

/**
 * The box of all parcels that have `west`, `south`, `east` and `north`; null if none has a place. If a box across the antimeridian is
 * narrower, it is that one, with west > east. A parcel that is itself on both sides fills all longitudes.
 */
const boxOfPlaces = (db: Db) => db`
  case
    when count(lon) = 0 then null
    when max(east) - min(west) > 360 - (min(west) filter (where west >= 0) - max(east) filter (where west < 0))
      then json_build_array(min(west) filter (where west >= 0), min(south), max(east) filter (where west < 0), max(north))
    else json_build_array(min(west), min(south), max(east), max(north))
  end`

/** The parcels of each of `ownerNames`. Names that differ only in case and repeated spaces are equal. */
export const listOwnerMembers = (
  db: Db,
  ownerNames: readonly string[],
  filter: ParcelFilter,
  limit: number,
): Promise<OwnerMembers[]> => db<OwnerMembers[]>`
  with owners as (
    select name, ${nameKey(db, db`name`)} as key from unnest(${[...ownerNames]}::text[]) as name
  )
  select o.name as "ownerName", m."memberCount", m.bbox, m.parcels
  from owners o cross join lateral (
    select count(*)::int as "memberCount",
      ${boxOfPlaces(db)} as bbox,
      coalesce(json_agg(to_jsonb(found) - 'place') filter (where place <= ${limit}), '[]') as parcels
    from (
      select ${parcelColumns(db)},
        row_number() over (order by p.source collate "C", p.source_parcel_id collate "C") as place
      from ${ownedParcels(db, db`o.name`)} p join sources s using (source)
      where ${nameKey(db, db`p.owner_name`)} = o.key ${parcelFilter(db, filter)}
    ) found
  ) m
`

/** An owner of several parcels: the key of a group, and how many there are. */
export interface LargeOwnerRow {
  key: string
  parcels: number
}

const MIN_PARCELS_OF_LARGE_OWNER = 3
/** Each process keeps this many of the largest owners in memory. */
const MAX_LARGE_OWNERS = 20_000

/** The owners of most parcels, sorted by code point of their keys. Reads every row, so do not call it in a request. */
export const listLargeOwners = (db: Db): Promise<LargeOwnerRow[]> => db<LargeOwnerRow[]>`
  with names as (
    select owner_name as name, count(*) as n from live_parcels where owner_name is not null group by 1
  ), largest as (
    select ${nameKey(db, db`name`)} as key, sum(n)::int as parcels from names
    group by 1 having sum(n) >= ${MIN_PARCELS_OF_LARGE_OWNER}
    order by parcels desc, 1 limit ${MAX_LARGE_OWNERS}
  )
  select key, parcels from largest order by key collate "C"`

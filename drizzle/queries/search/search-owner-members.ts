import type { ParcelFilter } from '../../../core/parcel-filter'
import type { Db } from '../../../core/postgres/database'
import { parcelFilter } from '../parcels/parcel-filter'
import { type ParcelSearchRow, parcelColumns } from './search-documents'

/** The parcels of one owner: their number, their box, and up to `limit` of them by source and id. */
export interface OwnerMembers {
  ownerName: string
  memberCount: number
  bbox: [west: number, south: number, east: number, north: number] | null
  parcels: ParcelSearchRow[]
}

/** The parcels of each of `ownerNames`. Names are equal if they differ only in case and in runs of spaces. */
export const listOwnerMembers = (
  db: Db,
  ownerNames: readonly string[],
  filter: ParcelFilter,
  limit: number,
): Promise<OwnerMembers[]> => db<OwnerMembers[]>`
  with owners as (
    select name, lower(regexp_replace(btrim(name), '\\s+', ' ', 'g')) as key from unnest(${[...ownerNames]}::text[]) as name
  )
  select o.name as "ownerName", m."memberCount", m.bbox, m.parcels
  from owners o cross join lateral (
    select count(*)::int as "memberCount",
      case when count(lon) > 0 then json_build_array(min(west), min(south), max(east), max(north)) end as bbox,
      coalesce(json_agg(to_jsonb(found) - 'place') filter (where place <= ${limit}), '[]') as parcels
    from (
      select ${parcelColumns(db)},
        row_number() over (order by p.source collate "C", p.source_parcel_id collate "C") as place
      from (
        -- An index cannot serve "is not distinct from": with 1,000,000 parcels, each name read all of them. Names whose normalized
        -- form is null ("LLC") are searched separately, and only if the wanted name is one.
        select * from parcels where owner_name_normalized = normalize_name(o.name)
        union all
        select * from parcels where normalize_name(o.name) is null and owner_name_normalized is null
      ) p join sources s using (source)
      where lower(regexp_replace(btrim(p.owner_name), '\\s+', ' ', 'g')) = o.key
        ${parcelFilter(db, filter)}
    ) found
  ) m
`

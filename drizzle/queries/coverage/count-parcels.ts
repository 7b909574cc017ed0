import { parcelFields } from '../../../core/parcels/fields'
import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

const FIELD_COLUMNS = parcelFields.map(({ name }) => name).join(', ')
/** How many listed parcels of `page` have each field, for `json_build_object`. */
const FILLED = parcelFields
  .map(({ name, type }) => {
    const hasValue = type === 'list' ? `${name} <> '{}'` : `${name} is not null`
    return `'${name}', count(*) filter (where is_listed and ${hasValue})`
  })
  .join(', ')

/** Counts over some parcels of a source. */
export interface ParcelCounts {
  parcels: number
  retired: number
  filled: Record<string, number>
  west: number | null
  south: number | null
  east: number | null
  north: number | null
  /** When a parcel was last added or scraped (ISO 8601). */
  refreshedAt: string | null
}

/** Counts the next `limit` parcels of a source by id. `last` is the id of the last one; null: there are no more. */
export const countParcels = async (
  db: Db,
  source: string,
  { after, limit }: { after: string; limit: number },
): Promise<ParcelCounts & { last: string | null }> => {
  const rows = await db<(ParcelCounts & { last: string | null })[]>`
    select (count(*) filter (where is_listed))::float8 as parcels, (count(*) filter (where not is_listed))::float8 as retired,
      json_build_object(${db.unsafe(FILLED)}, 'geom', count(*) filter (where is_listed and has_boundary)) as filled,
      min((bbox[1])[0]) filter (where is_listed) as west, min((bbox[1])[1]) filter (where is_listed) as south,
      max((bbox[0])[0]) filter (where is_listed) as east, max((bbox[0])[1]) filter (where is_listed) as north,
      iso_utc(max(greatest(ingested_at, scraped_at))) as "refreshedAt",
      case when count(*) = ${limit} then max(source_parcel_id) end as last
    from (
      select source_parcel_id, retired_at is null as is_listed, geom is not null as has_boundary, bbox, ingested_at, scraped_at, ${db.unsafe(FIELD_COLUMNS)}
      from parcels where source = ${source} and source_parcel_id > ${after} order by source_parcel_id limit ${limit}
    ) page`
  return onlyRow(rows)
}

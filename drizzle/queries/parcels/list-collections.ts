import type { Bbox } from '../../../core/geometry/bbox'
import type { Db } from '../../../core/postgres/database'

/** A source with parcels. */
export interface ParcelCollection {
  source: string
  state: string
  countyName: string
  /** Listed parcels, exact. */
  parcels: number
  /** Null: there is no boundary. */
  bbox: Bbox | null
}

/**
 * The sources that list parcels, by slug; with `source`, that one. Reads only tallies, except the box of a source that is not counted yet:
 * without a box, GDAL reads all features.
 */
export const listCollections = (db: Db, source: string | null = null): Promise<ParcelCollection[]> => db<
  ParcelCollection[]
>`
  select s.source, s.state, s.county_name as "countyName", t.parcels::float8 as parcels,
    case when c.source is null then (
      select case when min((p.bbox[1])[0]) is not null
        then array[min((p.bbox[1])[0]), min((p.bbox[1])[1]), max((p.bbox[0])[0]), max((p.bbox[0])[1])] end
      from live_parcels p where p.source = s.source
    ) when c.bbox is not null then array[(c.bbox[1])[0], (c.bbox[1])[1], (c.bbox[0])[0], (c.bbox[0])[1]] end as bbox
  from sources s
  join (select source, sum(parcels::int) as parcels from source_tallies group by source) t using (source)
  left join source_coverage c using (source)
  where t.parcels > 0 ${source === null ? db`` : db`and s.source = ${source}`}
  order by s.source`

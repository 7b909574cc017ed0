import type { Db } from '../../../core/postgres/database'
import { isDrawn, type TileParcelFilter } from './tile-parcels'

/** A source with drawn parcels. */
export interface DrawnSource {
  source: string
  /** Two capital letters. */
  state: string
  county: string
  parcels: number
  /** The box of these parcels. */
  bbox: [west: number, south: number, east: number, north: number]
}

/** A cell of a grid, and how many drawn parcels have the middle of their box in it. */
export interface ParcelCell {
  /** Column from the west, row from the north. */
  x: number
  y: number
  parcels: number
}

/**
 * Counts the drawn parcels of each source, and of each cell of a Web Mercator grid with `side` by `side` cells. Reads every row once, but
 * no geometry.
 */
export const countDrawnParcels = async (
  db: Db,
  filter: TileParcelFilter,
  side: number,
): Promise<{ sources: DrawnSource[]; cells: ParcelCell[] }> => {
  const rows = await db<(DrawnSource | (ParcelCell & { source: null }))[]>`
    select source, s.state, s.county_name as county, x, y, parcels, case when source is not null then bbox end as bbox
    from (
      select source, least(${side}::int - 1, floor((middle[0] / 360 + 0.5) * ${side}::int))::int as x,
        least(${side}::int - 1, floor((0.5 - ln((1 + sine) / (1 - sine)) / (4 * pi())) * ${side}::int))::int as y,
        count(*)::int as parcels, array[min((bbox[1])[0]), min((bbox[1])[1]), max((bbox[0])[0]), max((bbox[0])[1])] as bbox
      from parcels p, center(bbox) middle, sin(radians(least(85.0511, greatest(-85.0511, middle[1])))) sine
      where ${isDrawn(db, filter)}
      group by grouping sets ((1), (2, 3))
    ) counted left join sources s using (source)
    order by source, y, x`
  const sources: DrawnSource[] = []
  const cells: ParcelCell[] = []
  for (const row of rows) {
    if (row.source === null) cells.push({ x: row.x, y: row.y, parcels: row.parcels })
    else sources.push(row)
  }
  return { sources, cells }
}

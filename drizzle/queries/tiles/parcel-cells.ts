import type { Bbox } from '../../../core/geometry/bbox'
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
  bbox: Bbox
}

/** A cell of a grid, and how many drawn parcels have the middle of their box in it. */
export interface ParcelCell {
  /** Column from the west, row from the north. */
  x: number
  y: number
  parcels: number
}

/** SQL: the drawn parcels, each with the column `x` and the row `y` of its cell of a Web Mercator grid with `side` by `side` cells. */
const placedParcels = (db: Db, filter: TileParcelFilter, side: number) => db`
  select source, bbox, least(${side}::int - 1, floor((middle[0] / 360 + 0.5) * ${side}::int))::int as x,
    least(${side}::int - 1, floor((0.5 - ln((1 + sine) / (1 - sine)) / (4 * pi())) * ${side}::int))::int as y
  from parcels p, center(bbox) middle, sin(radians(least(85.0511, greatest(-85.0511, middle[1])))) sine
  where ${isDrawn(db, filter)}`

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
      select source, x, y, count(*)::int as parcels,
        array[min((bbox[1])[0]), min((bbox[1])[1]), max((bbox[0])[0]), max((bbox[0])[1])] as bbox
      from (${placedParcels(db, filter, side)}) placed
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

/** Counts the drawn parcels of some cells of the same grid. `bbox` is the box of a cell in degrees, with a margin for rounding. */
export const countParcelsOfCells = (
  db: Db,
  filter: TileParcelFilter,
  side: number,
  cells: readonly { x: number; y: number; bbox: Bbox }[],
): Promise<ParcelCell[]> => {
  const edge = (index: 0 | 1 | 2 | 3) => cells.map(({ bbox }) => bbox[index])
  return db<ParcelCell[]>`
    select cell.x, cell.y, parcels
    from unnest(
      ${cells.map(({ x }) => x)}::int[], ${cells.map(({ y }) => y)}::int[],
      ${edge(0)}::float8[], ${edge(1)}::float8[], ${edge(2)}::float8[], ${edge(3)}::float8[]
    ) cell (x, y, west, south, east, north)
    cross join lateral (
      select count(*)::int as parcels from (${placedParcels(db, filter, side)}) placed
      where bbox && box(point(east, north), point(west, south)) and placed.x = cell.x and placed.y = cell.y
    ) counted`
}

/** The states and counties of some sources. */
export const listSourceCounties = (
  db: Db,
  sources: readonly string[],
): Promise<Pick<DrawnSource, 'source' | 'state' | 'county'>[]> => db`
  select source, state, county_name as county from sources where source = any(${[...sources]}::text[]) order by source`

import type { Bbox } from '../../core/geometry/bbox'
import type { Db } from '../../core/postgres/database'
import { countyKey } from '../../core/sources/county-names'
import type { ChangedBox } from '../../drizzle/queries/tiles/changed-parcels'
import { countParcelsOfCells, type DrawnSource, listSourceCounties } from '../../drizzle/queries/tiles/parcel-cells'
import type { TileParcelFilter } from '../../drizzle/queries/tiles/tile-parcels'
import { sortKeyOfParcel } from '../encode/bucket'
import { latToY, lonToX } from '../encode/project'
import { tileSteps } from '../encode/tile-math'
import { CELLS_PER_SIDE, MAX_OVERVIEW_ZOOM, WORLD_CELLS } from '../overview/overview-tiles'
import { countParcels, type DrawnParcels } from '../overview/write-overview'
import { type FormerCounts, keyOf } from './former-counts'

/** With more, counting all parcels may take less time. */
const MAX_CELLS = 500
/** World steps along the side of a cell. */
const CELL_STEPS = tileSteps(MAX_OVERVIEW_ZOOM) / CELLS_PER_SIDE
/** In degrees. */
const MARGIN = 1e-5

/**
 * The result of `countDrawnParcels`, from the counts of a former archive: only cells where a parcel changed are counted again. `before` and
 * `now` have the sort keys of the changed parcels that the archive draws, and of those that are drawn now. Null: all must be counted, because
 * too many cells changed, or a source or a county may have come or gone, or the box of a county may have changed.
 */
export const recountParcels = async (
  db: Db,
  filter: TileParcelFilter,
  boxes: readonly ChangedBox[],
  now: ReadonlySet<string>,
  readFormer: () => { counts: FormerCounts; before: ReadonlySet<string> },
): Promise<DrawnParcels | null> => {
  const touched = new Set<number>()
  for (const { bbox } of boxes) {
    if (bbox !== null) addCells(touched, bbox)
    if (touched.size > MAX_CELLS) return null
  }
  const { counts, before } = readFormer()
  const { counties } = counts
  const countyOf = new Map(counties.flatMap((county) => county.sources.map((source) => [source, county] as const)))
  for (const { source, source_parcel_id, bbox } of boxes) {
    const key = sortKeyOfParcel(source, source_parcel_id)
    if (bbox === null || !(before.has(key) || now.has(key))) continue
    const county = countyOf.get(source)
    if (county === undefined || !isInside(bbox, county.bbox)) return null
  }

  const more = new Map<string, number>()
  const add = (key: string, n: number) => {
    const source = key.slice(0, key.indexOf('\0'))
    more.set(source, (more.get(source) ?? 0) + n)
  }
  for (const key of now) add(key, 1)
  for (const key of before) add(key, -1)
  const places = new Map((await listSourceCounties(db, [...countyOf.keys()])).map((place) => [place.source, place]))
  const sources: DrawnSource[] = []
  for (const county of counties) {
    const added = county.sources.map((source) => more.get(source) ?? 0)
    // It is not known how many parcels each source of a county has: one with fewer may have none.
    if (added.length > 1 && Math.min(...added) < 0) return null
    const ofCounty = county.sources.flatMap((source) => places.get(source) ?? [])
    if (ofCounty.length < county.sources.length) return null
    if (new Set(ofCounty.map((place) => countyKey(place.state, place.county))).size > 1) return null
    const parcels = added.reduce((sum, n) => sum + n, county.parcels)
    sources.push(...ofCounty.map((place, at) => ({ ...place, parcels: at === 0 ? parcels : 0, bbox: county.bbox })))
  }
  sources.sort((a, b) => (a.source < b.source ? -1 : 1))

  const cells = new Map(counts.cells)
  for (const cell of await countParcelsOfCells(db, filter, WORLD_CELLS, [...touched].map(placeOf))) {
    if (cell.parcels === 0) cells.delete(keyOf(cell))
    else cells.set(keyOf(cell), cell)
  }
  const drawn = { sources, cells: [...cells.values()] }
  // Each parcel is in one cell and in one county.
  return countParcels(drawn) === drawn.cells.reduce((sum, { parcels }) => sum + parcels, 0) ? drawn : null
}

const isInside = (box: Bbox, outer: Bbox): boolean =>
  box[0] > outer[0] && box[1] > outer[1] && box[2] < outer[2] && box[3] < outer[3]

/** Adds the cell that the middle of a box is in; or those, if rounding may decide. */
const addCells = (cells: Set<number>, [west, south, east, north]: Bbox): void => {
  const cellOf = (steps: number) => Math.floor(steps / CELL_STEPS)
  const [x, y] = [lonToX((west + east) / 2), latToY((south + north) / 2)]
  for (let row = cellOf(y - 1); row <= cellOf(y + 1); row++) {
    for (let column = cellOf(x - 1); column <= cellOf(x + 1); column++) cells.add(keyOf({ x: column, y: row }))
  }
}

const placeOf = (key: number): { x: number; y: number; bbox: Bbox } => {
  const [x, y] = [key % WORLD_CELLS, Math.floor(key / WORLD_CELLS)]
  const lon = (column: number) => (column / WORLD_CELLS - 0.5) * 360
  const lat = (row: number) => (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / WORLD_CELLS))) * 180) / Math.PI
  return { x, y, bbox: [lon(x) - MARGIN, lat(y + 1) - MARGIN, lon(x + 1) + MARGIN, lat(y) + MARGIN] }
}

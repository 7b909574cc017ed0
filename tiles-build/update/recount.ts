import { VectorTile, type VectorTileLayer } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { tileIdToZxy } from 'pmtiles'
import type { Bbox } from '../../core/geometry/bbox'
import type { Db } from '../../core/postgres/database'
import { countyKey } from '../../core/sources/county-key'
import type { ChangedBox } from '../../drizzle/queries/tiles/changed-parcels'
import {
  countParcelsOfCells,
  type DrawnSource,
  listSourceCounties,
  type ParcelCell,
} from '../../drizzle/queries/tiles/parcel-cells'
import type { TileParcelFilter } from '../../drizzle/queries/tiles/tile-parcels'
import { sortKeyOfParcel } from '../encode/bucket'
import { latToY, lonToX } from '../encode/project'
import { EXTENT, tileSteps } from '../encode/tile-math'
import type { PatchJob } from '../job'
import { CELLS_PER_SIDE, MAX_OVERVIEW_ZOOM, type OVERVIEW_LAYERS, WORLD_CELLS } from '../overview/overview-tiles'
import { countParcels, type DrawnParcels } from '../overview/write-overview'
import { createLayerDecoder, createSortKeys } from './decode-layer'

/** The numbers of parcels in the overview of an archive. */
export interface FormerCounts {
  counties: { sources: string[]; parcels: number; bbox: Bbox }[]
  /** By `y * WORLD_CELLS + x`. */
  cells: Map<number, ParcelCell>
}

/** With more, counting all parcels may take less time. */
const MAX_CELLS = 500
/** World steps along the side of a cell. */
const CELL_STEPS = tileSteps(MAX_OVERVIEW_ZOOM) / CELLS_PER_SIDE
/** In degrees. */
const MARGIN = 1e-5

/** Reads the tiles of the overview that have every county and every cell. `tileIds` has all tiles of the archive, in order. */
export const readCounts = (
  tileIds: readonly number[],
  readTile: (tileId: number) => Uint8Array<ArrayBuffer>,
): FormerCounts => {
  const counts: FormerCounts = { counties: [], cells: new Map() }
  const layerOf = (tileId: number, name: keyof typeof OVERVIEW_LAYERS) =>
    listFeatures(new VectorTile(new PbfReader(readTile(tileId))).layers[name])
  for (const tileId of tileIds) {
    const [z, x, y] = tileIdToZxy(tileId)
    if (z > MAX_OVERVIEW_ZOOM) break
    if (z === 0) {
      for (const { properties } of layerOf(tileId, 'county_centers')) {
        const { sources, parcels, west, south, east, north } = properties as Record<string, number>
        const slugs = String(sources).split(',').slice(1, -1)
        counts.counties.push({ sources: slugs, parcels: Number(parcels), bbox: [west, south, east, north] as Bbox })
      }
    } else if (z === MAX_OVERVIEW_ZOOM) {
      for (const feature of layerOf(tileId, 'parcel_counts')) {
        const [[point] = []] = feature.loadGeometry()
        const column = (tile: number, unit = 0) => tile * CELLS_PER_SIDE + Math.floor((unit * CELLS_PER_SIDE) / EXTENT)
        const cell = { x: column(x, point?.x), y: column(y, point?.y) }
        counts.cells.set(keyOf(cell), { ...cell, parcels: Number(feature.properties.parcels) })
      }
    }
  }
  return counts
}

function* listFeatures(layer: VectorTileLayer | undefined) {
  for (let index = 0; index < (layer?.length ?? 0); index++) yield (layer as VectorTileLayer).feature(index)
}

const keyOf = ({ x, y }: { x: number; y: number }): number => y * WORLD_CELLS + x

/** The changed parcels that some tiles of the highest zoom draw, which has all parcels: their sort keys. */
export const listDrawn = (
  tiles: Iterable<Uint8Array<ArrayBuffer>>,
  keys: readonly string[],
  changed: PatchJob['changed'],
): Set<string> => {
  const changedKeys = new Set(changed.map(({ sortKey }) => sortKey))
  const changedIds = new Set(changed.map(({ featureId }) => featureId))
  const decodeLayer = createLayerDecoder(keys.length)
  const drawn = new Set<string>()
  for (const tile of tiles) {
    const layer = decodeLayer(tile)
    const sortKeyOf = createSortKeys(layer, keys)
    for (let feature = 0; feature < layer.count; feature++) {
      if (!changedIds.has(layer.ids[feature] as number)) continue
      const key = sortKeyOf(feature)
      if (changedKeys.has(key)) drawn.add(key)
    }
  }
  return drawn
}

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

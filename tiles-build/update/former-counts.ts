import { closeSync, openSync } from 'node:fs'
import { VectorTile, type VectorTileLayer } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { tileIdToZxy, zxyToTileId } from 'pmtiles'
import type { Bbox } from '../../core/geometry/bbox'
import type { ParcelCell } from '../../drizzle/queries/tiles/parcel-cells'
import type { TileOptions } from '../archive/write-tiles'
import { EXTENT } from '../encode/tile-math'
import type { PatchJob } from '../job'
import { CELLS_PER_SIDE, MAX_OVERVIEW_ZOOM, type OVERVIEW_LAYERS, WORLD_CELLS } from '../overview/overview-tiles'
import { createLayerDecoder, createSortKeys } from './decode-layer'
import { readTile, type StoredTile } from './former-archive'
import type { Changes } from './read-changes'
import type { UpdatableArchive } from './updatable-archive'

/** The numbers of parcels in the overview of an archive. */
export interface FormerCounts {
  counties: { sources: string[]; parcels: number; bbox: Bbox }[]
  /** By `y * WORLD_CELLS + x`. */
  cells: Map<number, ParcelCell>
}

/** What the published archive draws: the numbers of parcels, and the sort keys of those changed parcels that are in it. */
export const readFormer = (
  { path, tiles }: UpdatableArchive,
  { touched, changed }: Changes,
  { maxZoom, properties }: TileOptions,
): { counts: FormerCounts; before: ReadonlySet<string> } => {
  const file = openSync(path, 'r')
  try {
    const read = (tileId: number) => readTile(file, tiles.get(tileId) as StoredTile)
    const firstId = zxyToTileId(maxZoom, 0, 0)
    const drawn = touched.filter(({ tileId }) => tileId >= firstId && tiles.has(tileId))
    return {
      counts: readCounts([...tiles.keys()], read),
      before: listDrawn(
        drawn.values().map(({ tileId }) => read(tileId)),
        properties,
        changed,
      ),
    }
  } finally {
    closeSync(file)
  }
}

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

/** The number of a cell in `FormerCounts`. */
export const keyOf = ({ x, y }: { x: number; y: number }): number => y * WORLD_CELLS + x

/** The changed parcels that some tiles of the highest zoom draw, which has all parcels: their sort keys. */
const listDrawn = (
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

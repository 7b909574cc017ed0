import { GeoJSONVT, type GeoJSONVTFeature } from '@maplibre/geojson-vt'
import { fromVectorTileJs, GeoJSONWrapper } from '@maplibre/vt-pbf'
import { tileIdToZxy, zxyToTileId } from 'pmtiles'
import { bboxOf } from '../../core/geometry/bbox'
import type { ParcelCell } from '../../drizzle/queries/tiles/parcel-cells'
import { latToY, lonToX } from '../encode/project'
import { BUFFER, EXTENT, setTileRange, tileSteps } from '../encode/tile-math'
import type { County } from './county-outlines'

/** The zooms that show where parcels are, below those that draw them. */
export const OVERVIEW_ZOOMS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
export const MAX_OVERVIEW_ZOOM = 9

/** The layers of these zooms, and the types of their fields (TileJSON 3, `vector_layers`). */
export const OVERVIEW_LAYERS = {
  counties: {
    description: 'Counties with parcels: outlines; `sources` has slugs between commas; the box is that of the parcels',
    fields: { name: 'String', parcels: 'Number', sources: 'String', ...boxFields() },
  },
  county_centers: {
    description: 'A point in the middle of the parcels of each county, for its name',
    fields: { name: 'String', parcels: 'Number', sources: 'String', ...boxFields() },
  },
  parcel_counts: {
    description: 'The number of parcels in each cell of a grid, as a point in the middle of the cell',
    fields: { parcels: 'Number' },
  },
} as const
type OverviewLayer = keyof typeof OVERVIEW_LAYERS

function boxFields() {
  return { west: 'Number', south: 'Number', east: 'Number', north: 'Number' } as const
}

/** A tile has 32 by 32 cells. On a map with tiles of 512 pixels, a cell is 16 pixels wide. */
export const CELLS_PER_SIDE = 32
/** Cells along the side of the world at the highest zoom of the overview. */
export const WORLD_CELLS = CELLS_PER_SIDE * 2 ** MAX_OVERVIEW_ZOOM

type Features = Record<OverviewLayer, GeoJSONVTFeature[]>

/** Encodes all tiles of one zoom of the overview, in the order of their ids. */
export const makeOverviewTiles = (
  z: number,
  counties: readonly County[],
  cells: readonly ParcelCell[],
  emit: (tileId: number, tile: Uint8Array<ArrayBuffer>) => void,
): void => {
  const tiles = new Map<number, Features>()
  const featuresOf = (x: number, y: number): Features => {
    const id = zxyToTileId(z, x, y)
    const features = tiles.get(id) ?? { counties: [], county_centers: [], parcel_counts: [] }
    tiles.set(id, features)
    return features
  }
  addOutlines(z, counties, featuresOf)
  for (const county of counties) {
    const [west, south, east, north] = county.bbox
    addPoint(z, (lonToX(west) + lonToX(east)) / 2, (latToY(south) + latToY(north)) / 2, (x, y, geometry) =>
      featuresOf(x, y).county_centers.push({ type: 1, geometry, tags: propertiesOf(county) }),
    )
  }
  for (const [cell, parcels] of mergeCells(z, cells)) {
    const side = tileSteps(z) / CELLS_PER_SIDE
    const row = Math.floor(cell / WORLD_CELLS)
    addPoint(z, ((cell % WORLD_CELLS) + 0.5) * side, (row + 0.5) * side, (x, y, geometry) =>
      featuresOf(x, y).parcel_counts.push({ type: 1, geometry, tags: { parcels } }),
    )
  }
  for (const [tileId, features] of [...tiles].toSorted(([a], [b]) => a - b)) emit(tileId, encode(features))
}

const propertiesOf = ({ name, parcels, sources, bbox: [west, south, east, north] }: County) => ({
  name,
  parcels,
  sources: `,${sources.join()},`,
  west,
  south,
  east,
  north,
})

const addOutlines = (z: number, counties: readonly County[], featuresOf: (x: number, y: number) => Features): void => {
  const features = counties.flatMap((county) =>
    county.outline === null
      ? []
      : [{ type: 'Feature' as const, properties: propertiesOf(county), geometry: county.outline }],
  )
  const index = new GeoJSONVT(
    { type: 'FeatureCollection', features },
    { maxZoom: MAX_OVERVIEW_ZOOM, indexMaxZoom: 4, extent: EXTENT, buffer: BUFFER },
  )
  const range = { minX: 0, minY: 0, maxX: 0, maxY: 0 }
  const touched = new Set<number>()
  for (const { geometry } of features) {
    const [west, south, east, north] = bboxOf(geometry)
    setTileRange(range, z, lonToX(west), latToY(north), lonToX(east), latToY(south))
    for (let x = range.minX; x <= range.maxX; x++) {
      for (let y = range.minY; y <= range.maxY; y++) touched.add(zxyToTileId(z, x, y))
    }
  }
  for (const id of touched) {
    const [, x, y] = tileIdToZxy(id)
    const drawn = index.getTile(z, x, y)?.features ?? []
    if (drawn.length > 0) featuresOf(x, y).counties.push(...drawn)
  }
}

/** The tile of a point in world steps, and its position there, in tile units. */
const addPoint = (
  z: number,
  worldX: number,
  worldY: number,
  add: (x: number, y: number, geometry: [number, number][]) => void,
): void => {
  const size = tileSteps(z)
  const [x, y] = [Math.floor(worldX / size), Math.floor(worldY / size)]
  const unit = (steps: number, tile: number) => Math.round((steps / size - tile) * EXTENT)
  add(x, y, [[unit(worldX, x), unit(worldY, y)]])
}

/** The cells of a zoom, as `row * WORLD_CELLS + column`, in ascending order, each with its number of parcels. */
const mergeCells = (z: number, cells: readonly ParcelCell[]): [cell: number, parcels: number][] => {
  const scale = 2 ** (MAX_OVERVIEW_ZOOM - z)
  const merged = new Map<number, number>()
  for (const { x, y, parcels } of cells) {
    const cell = Math.floor(y / scale) * WORLD_CELLS + Math.floor(x / scale)
    merged.set(cell, (merged.get(cell) ?? 0) + parcels)
  }
  return [...merged].toSorted(([a], [b]) => a - b)
}

const encode = (features: Features): Uint8Array<ArrayBuffer> => {
  const layers: Record<string, GeoJSONWrapper> = {}
  for (const name of Object.keys(OVERVIEW_LAYERS) as OverviewLayer[]) {
    if (features[name].length === 0) continue
    const layer = new GeoJSONWrapper(features[name], { version: 2, extent: EXTENT })
    layer.name = name
    layers[name] = layer
  }
  return new Uint8Array(fromVectorTileJs({ layers }))
}

import { tileIdToZxy } from 'pmtiles'
import { WORLD_SIZE } from './project'

/** Units along the side of a tile (Mapbox Vector Tile 2.1, `extent`). */
export const EXTENT = 4096
/** What is drawn beyond a tile's edge, in its units, so that outlines along the edge are not cut through. */
export const BUFFER = 64

/** World steps along the side of a tile. */
export const tileSteps = (z: number): number => WORLD_SIZE / 2 ** z

export interface TileRange {
  minX: number
  minY: number
  maxX: number
  maxY: number
}

/** The tiles of a zoom that draw something of a box of world steps, their buffers included. Written to `range`. */
export const setTileRange = (
  range: TileRange,
  z: number,
  minX: number,
  minY: number,
  maxX: number,
  maxY: number,
): void => {
  const scale = 1 / tileSteps(z)
  const buffer = BUFFER / EXTENT
  const last = 2 ** z - 1
  range.minX = Math.max(0, Math.floor(minX * scale - buffer))
  range.minY = Math.max(0, Math.floor(minY * scale - buffer))
  range.maxX = Math.min(last, Math.floor(maxX * scale + buffer))
  range.maxY = Math.min(last, Math.floor(maxY * scale + buffer))
}

/** Tiles of all zooms below `z`: what a tile id of PMTiles counts before the first of zoom `z`. */
const tilesBelow = (z: number): number => (4 ** z - 1) / 3

/** The id of the first descendant, at zoom `z`, of a tile of zoom `baseZoom`. The descendants follow one another: 4^(z - baseZoom) of them. */
export const firstDescendant = (baseId: number, baseZoom: number, z: number): number =>
  tilesBelow(z) + (baseId - tilesBelow(baseZoom)) * 4 ** (z - baseZoom)

/** A bucket is named by the id of its tile, which tells the zoom too. */
export const bucketTile = (bucket: number): { z: number; x: number; y: number } => {
  const [z, x, y] = tileIdToZxy(bucket)
  return { z, x, y }
}

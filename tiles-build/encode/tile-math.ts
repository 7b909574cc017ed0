import { tileIdToZxy } from 'pmtiles'
import { WORLD_SIZE } from './project'

/** Units along the side of a tile (Mapbox Vector Tile 2.1, `extent`). */
export const EXTENT = 4096
/** Width of the margin drawn beyond a tile's edge, in tile units, so that no outline is cut along the edge. */
export const BUFFER = 64

/** World steps along the side of a tile. */
export const tileSteps = (z: number): number => WORLD_SIZE / 2 ** z

export interface TileRange {
  minX: number
  minY: number
  maxX: number
  maxY: number
}

/** Sets `range` to the tiles of a zoom that a box (in world steps) touches, buffers included. */
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

/** The number of tiles of all zooms below `z`, which is the first PMTiles id of zoom `z`. */
const tilesBelow = (z: number): number => (4 ** z - 1) / 3

/** The id of a tile's first descendant at zoom `z`. The 4^(z - baseZoom) descendants have consecutive ids. */
export const firstDescendant = (baseId: number, baseZoom: number, z: number): number =>
  tilesBelow(z) + (baseId - tilesBelow(baseZoom)) * 4 ** (z - baseZoom)

/** The tile of a bucket. A bucket's id is the PMTiles id of its tile, which includes the zoom. */
export const bucketTile = (bucket: number): { z: number; x: number; y: number } => {
  const [z, x, y] = tileIdToZxy(bucket)
  return { z, x, y }
}

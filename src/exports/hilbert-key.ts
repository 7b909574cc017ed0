import { zxyToTileId } from 'pmtiles'
import type { Bbox } from '../../core/geometry/bbox'

/** Cells of about 2 m. */
const LEVEL = 24
const CELLS = 2 ** LEVEL

const toCell = (share: number): number => Math.min(CELLS - 1, Math.max(0, Math.floor(share * CELLS)))

/**
 * The position of a box's center on a Hilbert curve over the world. The box is in degrees. Boxes with close keys are close to each
 * other. Tile ids of PMTiles follow this curve.
 */
export const hilbertKey = ([west, south, east, north]: Bbox): number =>
  zxyToTileId(LEVEL, toCell(((west + east) / 2 + 180) / 360), toCell((90 - (south + north) / 2) / 180))

import { EXTENT, tileSteps } from './tile-math'

/**
 * Grid spacing in tile units: half a pixel of a tile drawn at 512 pixels. Below the highest zoom, every corner moves to the nearest
 * grid point. The new place depends only on the corner, so parcels still share their corners, no gap opens between them, and corners
 * that coincide are drawn once. A parcel without area on the grid is dropped; its neighbors fill its place.
 */
export const GRID = 4

/** Whether a shape within this box (in world steps) can have area on the grid of a zoom. */
export const hasAreaOnGrid = (z: number, minX: number, minY: number, maxX: number, maxY: number): boolean => {
  const scale = EXTENT / tileSteps(z)
  return snapToGrid(minX * scale) !== snapToGrid(maxX * scale) && snapToGrid(minY * scale) !== snapToGrid(maxY * scale)
}

/** Moves a coordinate, in tile units of its zoom, to the grid. */
export const snapToGrid = (units: number): number => Math.round(units / GRID) * GRID

import { EXTENT, tileSteps } from './tile-math'

/**
 * Below the highest zoom every corner moves to the nearest point of a grid, this many tile units wide: half a pixel of a
 * tile drawn at 512 pixels. Where a corner goes depends on the corner alone, so parcels that share it still share it, no gap
 * opens between them, and what falls together is drawn once. A parcel that is left without area gives its place to its
 * neighbours and is dropped.
 */
export const GRID = 4

/** Whether anything within a box of world steps can have area on the grid of a zoom. */
export const hasAreaOnGrid = (z: number, minX: number, minY: number, maxX: number, maxY: number): boolean => {
  const scale = EXTENT / tileSteps(z)
  return snapToGrid(minX * scale) !== snapToGrid(maxX * scale) && snapToGrid(minY * scale) !== snapToGrid(maxY * scale)
}

/** The place of a coordinate, in tile units of its zoom, on the grid. */
export const snapToGrid = (units: number): number => Math.round(units / GRID) * GRID

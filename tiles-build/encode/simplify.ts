import { EXTENT, tileSteps } from './tile-math'

/** The lowest zoom at which a house lot is several pixels wide, and parcels that are points are drawn. */
export const LOTS_ZOOM = 12

/**
 * Grid spacing in tile units. A tile drawn at 512 pixels has 8 units per pixel, so this is half a pixel, or a whole one at zooms where most
 * lots are about as small. Below the highest zoom, every corner moves to the nearest grid point. The new place depends only on the corner,
 * so parcels still share their corners, no gap opens between them, and corners that coincide are drawn once. A parcel without area on the
 * grid is dropped; its neighbors fill its place.
 */
export const gridOf = (z: number): number => (z < LOTS_ZOOM ? 8 : 4)

/** Whether a shape within this box (in world steps) can have area on the grid of a zoom. */
export const hasAreaOnGrid = (z: number, minX: number, minY: number, maxX: number, maxY: number): boolean => {
  const scale = EXTENT / tileSteps(z)
  const grid = gridOf(z)
  return (
    snapToGrid(minX * scale, grid) !== snapToGrid(maxX * scale, grid) &&
    snapToGrid(minY * scale, grid) !== snapToGrid(maxY * scale, grid)
  )
}

/** Moves a coordinate, in tile units of its zoom, to the grid. */
export const snapToGrid = (units: number, grid: number): number => Math.round(units / grid) * grid

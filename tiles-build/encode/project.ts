/**
 * Web Mercator (EPSG:3857) as a square of 2^32 by 2^32 whole steps. The origin is the northwest corner; x points east, y points
 * south. 32 steps are one tile unit at zoom 15. Equal positions stay equal, so shared corners stay shared.
 */
export const WORLD_SIZE = 2 ** 32

const MAX_LAT = 85.051128779806604
const RADIANS = Math.PI / 180

const toStep = (fraction: number): number => Math.min(WORLD_SIZE - 1, Math.max(0, Math.round(fraction * WORLD_SIZE)))

export const lonToX = (lon: number): number => toStep(lon / 360 + 0.5)

/** Latitudes beyond 85.05° are clamped to the edge of the square. */
export const latToY = (lat: number): number => {
  const sin = Math.sin(Math.min(MAX_LAT, Math.max(-MAX_LAT, lat)) * RADIANS)
  return toStep(0.5 - Math.log((1 + sin) / (1 - sin)) / (4 * Math.PI))
}

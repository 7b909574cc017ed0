/**
 * Web Mercator (EPSG:3857) as a square of 2^32 by 2^32 whole steps, x to the east, y to the south, from the north-west
 * corner: 32 steps are one unit of a tile at zoom 15. Equal positions stay equal, so shared corners stay shared.
 */
export const WORLD_SIZE = 2 ** 32

const MAX_LAT = 85.051128779806604
const RADIANS = Math.PI / 180

const toStep = (fraction: number): number => Math.min(WORLD_SIZE - 1, Math.max(0, Math.round(fraction * WORLD_SIZE)))

export const lonToX = (lon: number): number => toStep(lon / 360 + 0.5)

/** Latitudes beyond the square's end at 85.05° are drawn at its edge. */
export const latToY = (lat: number): number => {
  const sin = Math.sin(Math.min(MAX_LAT, Math.max(-MAX_LAT, lat)) * RADIANS)
  return toStep(0.5 - Math.log((1 + sin) / (1 - sin)) / (4 * Math.PI))
}

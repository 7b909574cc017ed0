import { RowFault } from '../rows/source-row'
import { describeBadPosition, findWrongPlace } from './geometry'

/** The place of a parcel whose boundary is unknown, in degrees. */
export interface ParcelPoint {
  lon: number
  lat: number
}

/** The position of a GeoJSON Point, or of a MultiPoint with a single point. Null: another geometry. */
export const positionOf = (geometry: unknown): unknown[] | null => {
  const { type, coordinates } = (geometry ?? {}) as { type?: unknown; coordinates?: unknown }
  if (!Array.isArray(coordinates)) return null
  if (type === 'Point') return coordinates
  return type === 'MultiPoint' && coordinates.length === 1 && Array.isArray(coordinates[0]) ? coordinates[0] : null
}

/** Whether a position is meaningless: empty, which WKB writes as NaN, or 0, 0, which programs write for an unknown place. */
export const isNowhere = ([x, y]: readonly unknown[]): boolean =>
  (x === undefined && y === undefined) || (Number.isNaN(x) && Number.isNaN(y)) || (x === 0 && y === 0)

/** @throws RowFault if the position is not a longitude and a latitude */
export const toPoint = (position: readonly unknown[]): ParcelPoint => {
  const [lon, lat] = position
  if (typeof lon !== 'number' || typeof lat !== 'number' || !(Math.abs(lon) <= 180 && Math.abs(lat) <= 90)) {
    throw new RowFault(`its point: ${describeBadPosition(position)}`)
  }
  const problem = findWrongPlace(lon, lat)
  if (problem !== null) throw new RowFault(`its point: ${problem}`)
  return { lon, lat }
}

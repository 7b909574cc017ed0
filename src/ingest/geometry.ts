import type { MultiPolygon, Position } from 'geojson'
import type { Bbox } from '../../drizzle/records'
import { RowFault } from './source-row'

export interface ParcelGeometry {
  geom: MultiPolygon
  bbox: Bbox
}

/**
 * A GeoJSON Polygon or MultiPolygon as a parcel keeps it: a MultiPolygon of two-dimensional positions with the digits they
 * came with, every ring closed, outer rings counterclockwise and holes clockwise (RFC 7946, 3.1.6); and its box. Null for a
 * Feature without geometry, or one with no coordinates at all.
 *
 * @throws RowFault for what no map could draw, naming the ring.
 */
export const toMultiPolygon = (geometry: unknown): ParcelGeometry | null => {
  if (geometry === null || geometry === undefined) return null
  const { type, coordinates } = geometry as { type?: unknown; coordinates?: unknown }
  if (type !== 'Polygon' && type !== 'MultiPolygon') {
    throw new RowFault(
      `its geometry is a ${typeof type === 'string' ? type : 'value without a type'}: a parcel is a Polygon or a MultiPolygon`,
    )
  }
  if (!Array.isArray(coordinates)) throw new RowFault(`its ${type} has no coordinates`)
  if (coordinates.length === 0) return null
  const bbox: Bbox = [Infinity, Infinity, -Infinity, -Infinity]
  const polygons = type === 'Polygon' ? [coordinates] : coordinates
  const rings = polygons.map((polygon: unknown, index) =>
    toPolygon(polygon, polygons.length > 1 ? `polygon ${index + 1}, ` : '', bbox),
  )
  return { geom: { type: 'MultiPolygon', coordinates: rings }, bbox }
}

const toPolygon = (rings: unknown, where: string, bbox: Bbox): Position[][] => {
  if (!Array.isArray(rings) || rings.length === 0) throw new RowFault(`${where || 'its polygon '}has no rings`)
  return rings.map((ring: unknown, index) => {
    const name = index === 0 ? `${where}outer ring` : `${where}hole ${index}`
    const closed = closeRing(ring, name, bbox)
    const area = signedArea(closed)
    if (area === 0) throw new RowFault(`${name}: it encloses no area`)
    return area > 0 === (index === 0) ? closed : closed.reverse()
  })
}

/** The ring in two dimensions, its first position repeated as the last; `bbox` grows to hold it. */
const closeRing = (ring: unknown, name: string, bbox: Bbox): Position[] => {
  if (!Array.isArray(ring)) throw new RowFault(`${name}: not a list of positions`)
  const closed: Position[] = new Array(ring.length)
  for (let index = 0; index < ring.length; index++) {
    const position = ring[index]
    const lon = position?.[0]
    const lat = position?.[1]
    if (!(lon >= -180 && lon <= 180 && lat >= -90 && lat <= 90) || typeof lon !== 'number' || typeof lat !== 'number') {
      throw new RowFault(`${name}, position ${index + 1}: ${describeBadPosition(position)}`)
    }
    if (lon < bbox[0]) bbox[0] = lon
    if (lat < bbox[1]) bbox[1] = lat
    if (lon > bbox[2]) bbox[2] = lon
    if (lat > bbox[3]) bbox[3] = lat
    closed[index] = position.length === 2 ? position : [lon, lat]
  }
  const [first, last] = [closed[0], closed.at(-1)]
  if (first !== undefined && last !== undefined && (first[0] !== last[0] || first[1] !== last[1])) closed.push(first)
  if (closed.length < 4) throw new RowFault(`${name}: ${closed.length} positions where a closed ring has at least 4`)
  // No county of the United States reaches so far south; what is east of Greenwich or south of 60° S has its axes exchanged.
  if (first !== undefined && (first[1] as number) < -60) {
    throw new RowFault(`${name}: latitude ${first[1]} is in Antarctica: longitude comes first, are they exchanged?`)
  }
  return closed
}

const describeBadPosition = (position: unknown): string => {
  if (!Array.isArray(position) || position.length < 2) return `${shorten(position)} is no position`
  const [lon, lat] = position
  if (!Number.isFinite(lon) || !Number.isFinite(lat)) return `${shorten([lon, lat])} is no pair of numbers`
  if (Math.abs(lat) <= 180 && Math.abs(lon) <= 90)
    return `latitude ${lat} is outside -90..90: longitude comes first, are they exchanged?`
  return `[${lon}, ${lat}] is no longitude and latitude in degrees: the file must be in EPSG:4326`
}

const shorten = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 60)

/**
 * Twice the area in square degrees, above 0 when counterclockwise. Taken from the first position, so that the small numbers
 * which a parcel is made of are not lost beside its large coordinates.
 */
export const signedArea = (ring: readonly Position[]): number => {
  const [originLon = 0, originLat = 0] = ring[0] ?? []
  let sum = 0
  let previousX = 0
  let previousY = 0
  for (const [lon = 0, lat = 0] of ring) {
    const x = lon - originLon
    const y = lat - originLat
    sum += previousX * y - x * previousY
    previousX = x
    previousY = y
  }
  return sum
}

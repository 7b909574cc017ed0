import type { MultiPolygon, Position } from 'geojson'
import { BOUNDARY_BOUNDS } from '../../../core/bounds'
import { type Bbox, bboxOf } from '../../../core/geometry/bbox'
import { RowFault } from '../rows/source-row'
import { isInside, toSimpleRings } from './simple-rings'

export interface ParcelGeometry {
  geom: MultiPolygon
  bbox: Bbox
  /** The geometry had rings that cross or touch themselves, or parts without area, and was repaired. Repeated vertices do not count. */
  isRepaired: boolean
}

/**
 * Converts a GeoJSON Polygon or MultiPolygon, or the polygons of a GeometryCollection, to the form that parcels store: a MultiPolygon of
 * two-dimensional positions with their original digits and without repeated vertices, every ring closed, outer rings counterclockwise and
 * holes clockwise (RFC 7946, 3.1.6); and its box. Null for a Feature without geometry or without coordinates.
 *
 * Two common mistakes in real files are repaired, as long as something is left: a ring that crosses or touches itself is split there
 * (the even-odd rule decides what is inside), and a part or hole without area is dropped.
 *
 * `isArea`: it is an area that a caller asks for, which may be anywhere on Earth.
 *
 * @throws RowFault for an invalid geometry, naming the ring, and for one too large to be one parcel's (BOUNDARY_BOUNDS).
 */
export const toMultiPolygon = (geometry: unknown, { isArea = false } = {}): ParcelGeometry | null => {
  if (geometry === null || geometry === undefined) return null
  const polygons = listPolygons(geometry)
  if (polygons.length === 0) return null
  expectBoundSize(polygons)
  const parts: Position[][][] = []
  let emptyPart: RowFault | null = null
  let isRepaired = false
  for (const [index, polygon] of polygons.entries()) {
    const rings = readRings(polygon, polygons.length > 1 ? `polygon ${index + 1}, ` : '', isArea)
    const [outer, ...holes] = rings
    if (outer instanceof RowFault) {
      emptyPart ??= outer
      continue
    }
    const { simple, mended } = simplify(
      [outer as Position[], ...holes.filter((hole) => Array.isArray(hole))],
      isArea ? MAX_EDGES_READ.area : MAX_EDGES_READ.parcel,
    )
    isRepaired ||= mended || holes.some((hole) => hole instanceof RowFault)
    parts.push(...simple)
  }
  if (parts.length === 0) throw emptyPart ?? new RowFault('its rings enclose no area')
  const geom: MultiPolygon = { type: 'MultiPolygon', coordinates: parts }
  return {
    geom,
    bbox: bboxOf(geom),
    isRepaired: isRepaired || emptyPart !== null,
  }
}

/** Maximum nesting of collections in one parcel's geometry. */
const MAX_DEPTH = 8

/** The polygons of a geometry, each with its rings. Points and lines in a collection are left out. @throws RowFault */
const listPolygons = (geometry: object): unknown[] => {
  const { type, coordinates, geometries } = geometry as { type?: unknown; coordinates?: unknown; geometries?: unknown }
  if (type === 'GeometryCollection') {
    if (!Array.isArray(geometries)) throw new RowFault('its GeometryCollection has no geometries')
    const polygons = geometries.flatMap((member) => listMembers(member, 1))
    if (polygons.length === 0 && geometries.length > 0) throw new RowFault('its GeometryCollection has no Polygon')
    return polygons
  }
  if (type !== 'Polygon' && type !== 'MultiPolygon') {
    throw new RowFault(
      `its geometry is a ${typeof type === 'string' ? type : 'value without a type'}: a parcel is a Polygon, a MultiPolygon or a Point`,
    )
  }
  if (!Array.isArray(coordinates)) throw new RowFault(`its ${type} has no coordinates`)
  return type === 'MultiPolygon' ? coordinates : coordinates.length === 0 ? [] : [coordinates]
}

const listMembers = (member: unknown, depth: number): unknown[] => {
  const { type, geometries } = (member ?? {}) as { type?: unknown; geometries?: unknown }
  if (type === 'Polygon' || type === 'MultiPolygon') return listPolygons(member as object)
  if (type !== 'GeometryCollection' || !Array.isArray(geometries)) return []
  if (depth === MAX_DEPTH) throw new RowFault(`its GeometryCollection is nested more than ${MAX_DEPTH} levels deep`)
  return geometries.flatMap((inner) => listMembers(inner, depth + 1))
}

/** @throws RowFault for a boundary too large to be one parcel's. Values that are not lists are checked by the readers. */
const expectBoundSize = (polygons: readonly unknown[]): void => {
  let rings = polygons.length
  let positions = 0
  for (const polygon of polygons) {
    if (Array.isArray(polygon)) rings += polygon.length - 1
    if (rings > BOUNDARY_BOUNDS.rings) throw new RowFault(`it has more than ${BOUNDARY_BOUNDS.rings} rings`)
    for (const ring of Array.isArray(polygon) ? polygon : []) {
      const size = Array.isArray(ring) ? ring.length : 0
      positions += size
      if (size > BOUNDARY_BOUNDS.ringPositions) {
        throw new RowFault(`a ring has ${size} positions, more than ${BOUNDARY_BOUNDS.ringPositions}`)
      }
      if (positions > BOUNDARY_BOUNDS.parcelPositions) {
        throw new RowFault(`it has more than ${BOUNDARY_BOUNDS.parcelPositions} positions`)
      }
    }
  }
}

/** Closes every ring of a polygon; a ring without area becomes a fault. @throws RowFault for something that is not a ring */
const readRings = (rings: unknown, where: string, isArea: boolean): (Position[] | RowFault)[] => {
  if (!Array.isArray(rings) || rings.length === 0) throw new RowFault(`${where || 'its polygon '}has no rings`)
  return rings.map((ring: unknown, index) => {
    const name = index === 0 ? `${where}outer ring` : `${where}hole ${index}`
    const closed = closeRing(ring, name)
    if (!isArea) expectPlace(closed, name)
    if (closed.length < 4) {
      return new RowFault(`${name}: ${closed.length} positions, but a closed ring needs at least 4`)
    }
    return hasArea(closed) ? closed : new RowFault(`${name}: it encloses no area`)
  })
}

/** The two halves of a ring like a bow tie can have a sum of 0. */
const hasArea = (ring: Position[]): boolean =>
  signedArea(ring) !== 0 || toSimpleRings(ring).some((piece) => signedArea(piece) !== 0)

/** A piece narrower than this, a micrometer, is there only because the places where a ring crosses itself are rounded. */
const SLIVER_DEGREES = 1e-11

/**
 * How many edges are read to find which pieces of a split polygon are inside which: 0.2 s for an area, and 2 s for a parcel of a file,
 * such as a right of way with 1,500 blocks as its holes.
 */
const MAX_EDGES_READ = { area: 4_000_000, parcel: 60_000_000 }

/** Splits a polygon into polygons with simple, oriented rings, each with the holes inside it. @throws RowFault after MAX_EDGES_READ */
const simplify = (rings: Position[][], maxEdgesRead: number): { simple: Position[][][]; mended: boolean } => {
  const split = rings.map(toSimpleRings)
  if (split.every((pieces, index) => pieces.length === 1 && pieces[0] === rings[index])) {
    return { simple: [rings.map((ring, index) => orient(ring, index === 0))], mended: false }
  }
  const pieces = split
    .flat()
    .map((ring) => ({
      ring,
      box: bboxOf({ type: 'Polygon', coordinates: [ring] }),
      depth: 0,
      holes: [] as Position[][],
    }))
    .filter(({ ring, box: [west, south, east, north] }) => {
      return Math.abs(signedArea(ring)) > SLIVER_DEGREES * Math.max(east - west, north - south)
    })
  let edgesRead = 0
  const holders = pieces.map((inner) =>
    pieces.filter((outer) => {
      if (outer === inner || !holdsBox(outer.box, inner.box)) return false
      edgesRead += outer.ring.length
      if (edgesRead > maxEdgesRead) throw new RowFault('it crosses or touches itself in too many places')
      return isInside(inner.ring, outer.ring)
    }),
  )
  for (const [index, piece] of pieces.entries()) piece.depth = holders[index]?.length ?? 0
  for (const [index, { ring, depth }] of pieces.entries()) {
    if (depth % 2 === 0) continue
    const outer = holders[index]?.find((holder) => holder.depth === depth - 1)
    outer?.holes.push(orient(ring, false))
  }
  const simple = pieces.filter(({ depth }) => depth % 2 === 0).map(({ ring, holes }) => [orient(ring, true), ...holes])
  return { simple: simple.map((polygon) => polygon.map(roundCrossings)), mended: true }
}

/** Files and exports that are loaded have 9 decimals. */
const DEGREE = 1e9

/**
 * A crossing is computed with all digits. It is stored with 9 decimals, like all coordinates, so that loading an export changes nothing. In
 * the rare case that the ring would cross itself again, it keeps all digits.
 */
const roundCrossings = (ring: Position[]): Position[] => {
  const rounded = ring.map((position) => position.map((degrees) => Math.round(degrees * DEGREE) / DEGREE))
  const [piece, ...others] = toSimpleRings(rounded)
  return piece === rounded && others.length === 0 ? rounded : ring
}

const orient = (ring: Position[], isOuter: boolean): Position[] =>
  signedArea(ring) > 0 === isOuter ? ring : ring.reverse()

const holdsBox = (outer: Bbox, inner: Bbox): boolean =>
  outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3]

/** The ring in two dimensions, with its first position repeated at the end, and no other one repeated in a row. */
const closeRing = (ring: unknown, name: string): Position[] => {
  if (!Array.isArray(ring)) throw new RowFault(`${name}: not a list of positions`)
  const closed: Position[] = []
  let lastLon: number | null = null
  let lastLat: number | null = null
  for (let index = 0; index < ring.length; index++) {
    const position = ring[index]
    const lon = position?.[0]
    const lat = position?.[1]
    if (!(lon >= -180 && lon <= 180 && lat >= -90 && lat <= 90) || typeof lon !== 'number' || typeof lat !== 'number') {
      throw new RowFault(`${name}, position ${index + 1}: ${describeBadPosition(position)}`)
    }
    if (lon === lastLon && lat === lastLat) continue
    if (lastLon !== null) expectOneWay(lon - lastLon, name)
    lastLon = lon
    lastLat = lat
    closed.push(position.length === 2 ? position : [lon, lat])
  }
  const [first, last] = [closed[0], closed.at(-1)]
  if (first !== undefined && last !== undefined && (first[0] !== last[0] || first[1] !== last[1])) {
    expectOneWay((first[0] as number) - (last[0] as number), name)
    closed.push(first)
  }
  return closed
}

/** @throws RowFault for a ring of a parcel that cannot be in the United States */
const expectPlace = ([first]: readonly Position[], name: string): void => {
  const problem = first === undefined ? null : findWrongPlace(first[0] as number, first[1] as number)
  if (problem !== null) throw new RowFault(`${name}: ${problem}`)
}

/**
 * Refuses an edge of more than 180 degrees of longitude, because it could also go around the other side of the Earth. An edge of 360
 * degrees is the edge of the whole world.
 *
 * @throws RowFault
 */
const expectOneWay = (degrees: number, name: string): void => {
  const width = Math.abs(degrees)
  if (width > 180 && width < 360) {
    throw new RowFault(
      `${name}: an edge of more than 180 degrees of longitude: cut it at the antimeridian into a MultiPolygon (RFC 7946, 3.1.9)`,
    )
  }
}

/** Longitudes without US land. The mainland is here if its minus sign is missing. Guam is at 144.6. */
const ASIA = { west: 60, east: 144 }

/** Why a place cannot be in the United States: the two usual mistakes. Null: it may be. */
export const findWrongPlace = (lon: number, lat: number): string | null => {
  if (lat < -60) return `latitude ${lat} is in Antarctica: longitude comes first, are the axes swapped?`
  return lon > ASIA.west && lon < ASIA.east ? `longitude ${lon} is in Asia: is its minus sign missing?` : null
}

export const describeBadPosition = (position: unknown): string => {
  if (position === undefined) return 'it is missing'
  if (!Array.isArray(position) || position.length < 2) return `${shorten(position)} is not a position`
  const [lon, lat] = position
  if (!Number.isFinite(lon) || !Number.isFinite(lat)) return `${shorten([lon, lat])} is not a pair of numbers`
  if (Math.abs(lat) <= 180 && Math.abs(lon) <= 90)
    return `latitude ${lat} is outside -90..90: longitude comes first, are the axes swapped?`
  return `[${lon}, ${lat}] is not a longitude and latitude in degrees: name the coordinate system with --crs EPSG:CODE`
}

const shorten = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 60)

/**
 * Twice the area in square degrees, positive when counterclockwise. Computed relative to the first position, so that a parcel's small
 * extent does not lose precision to its large coordinates.
 */
export const signedArea = (ring: readonly Position[]): number => {
  const originLon = ring[0]?.[0] ?? 0
  const originLat = ring[0]?.[1] ?? 0
  let sum = 0
  let previousX = 0
  let previousY = 0
  for (let index = 1; index < ring.length; index++) {
    const position = ring[index] as Position
    const x = (position[0] as number) - originLon
    const y = (position[1] as number) - originLat
    sum += previousX * y - x * previousY
    previousX = x
    previousY = y
  }
  return sum
}

import type { MultiPolygon, Position } from 'geojson'
import { BOUNDARY_BOUNDS } from '../../../core/bounds'
import { ScrapeError } from '../../scrape-error'

/**
 * Converts Esri's rings to GeoJSON. Esri lists outer rings (clockwise) and holes together in any order; here each outer ring is
 * followed by its holes, and the winding is reversed (RFC 7946, 3.1.6). A hole outside of all outer rings was wound the wrong way and
 * becomes an outer ring. Rings without area are dropped; null when nothing is left.
 *
 * https://developers.arcgis.com/rest/services-reference/enterprise/geometry-objects/#polygon
 *
 * @throws ScrapeError `too_large`
 */
export const ringsToMultiPolygon = (rings: readonly Position[][]): MultiPolygon | null => {
  expectBoundSize(rings)
  const drawn = rings.map(toRing).filter(({ area }) => area !== 0)
  // A ring with impossible coordinates has an area that is not a number. It is kept, because without it the boundary would be wrong; it is
  // refused later.
  const polygons = drawn.filter(({ area }) => !(area > 0)).map((outer) => ({ outer, holes: [] as Ring[] }))
  const smallestFirst = polygons.toSorted((one, other) => Math.abs(one.outer.area) - Math.abs(other.outer.area))
  for (const hole of drawn.filter(({ area }) => area > 0)) {
    // The smallest outer ring that contains it: an island in a lake may have a pond.
    const around = smallestFirst.find(({ outer }) => isWithin(hole, outer))
    if (around === undefined) polygons.push({ outer: hole, holes: [] })
    else around.holes.push(hole)
  }
  const coordinates = polygons.map(({ outer, holes }) => [wound(outer, 1), ...holes.map((hole) => wound(hole, -1))])
  return coordinates.length === 0 ? null : { type: 'MultiPolygon', coordinates }
}

/** @throws ScrapeError `too_large` */
const expectBoundSize = (rings: readonly Position[][]): void => {
  const positions = rings.reduce((sum, ring) => sum + ring.length, 0)
  const longest = rings.reduce((most, ring) => Math.max(most, ring.length), 0)
  const refuse = (what: string) => {
    throw new ScrapeError('too_large', `the boundary has ${what}`)
  }
  if (rings.length > BOUNDARY_BOUNDS.rings) refuse(`${rings.length} rings, more than ${BOUNDARY_BOUNDS.rings}`)
  if (longest > BOUNDARY_BOUNDS.ringPositions) {
    refuse(`a ring of ${longest} positions, more than ${BOUNDARY_BOUNDS.ringPositions}`)
  }
  if (positions > BOUNDARY_BOUNDS.parcelPositions) {
    refuse(`${positions} positions, more than ${BOUNDARY_BOUNDS.parcelPositions}`)
  }
}

interface Ring {
  /** In two dimensions, with the first position repeated at the end. */
  positions: Position[]
  /** Twice the area, positive when counterclockwise. */
  area: number
  box: [west: number, south: number, east: number, north: number]
}

const toRing = (given: Position[]): Ring => {
  const positions = given.map(([x, y]) => [x, y] as [number, number])
  const [first, last] = [positions[0], positions.at(-1)]
  if (first && last && (first[0] !== last[0] || first[1] !== last[1])) positions.push([...first])
  const [originX = 0, originY = 0] = first ?? []
  const box: Ring['box'] = [Infinity, Infinity, -Infinity, -Infinity]
  let area = 0
  let before = [0, 0] as [number, number]
  for (const [x, y] of positions) {
    box[0] = Math.min(box[0], x)
    box[1] = Math.min(box[1], y)
    box[2] = Math.max(box[2], x)
    box[3] = Math.max(box[3], y)
    // Relative to the first position: coordinates are large compared with the parcel, which would cost precision.
    const here: [number, number] = [x - originX, y - originY]
    area += before[0] * here[1] - here[0] * before[1]
    before = here
  }
  return { positions, area, box }
}

const wound = ({ positions, area }: Ring, direction: 1 | -1): Position[] =>
  Math.sign(area) === direction ? positions : positions.toReversed()

/** The first corner, or middle of a side, that is not on the outer ring decides, because holes may touch it. */
const isWithin = (hole: Ring, outer: Ring): boolean => {
  const [west, south, east, north] = hole.box
  const [outerWest, outerSouth, outerEast, outerNorth] = outer.box
  if (west < outerWest || south < outerSouth || east > outerEast || north > outerNorth) return false
  for (const point of [...hole.positions, ...middlesOf(hole.positions)]) {
    const side = sideOf(point, outer.positions)
    if (side !== 'on') return side === 'in'
  }
  // The same ring twice with opposite winding: the hole is as large as the outer ring.
  return true
}

const middlesOf = (positions: readonly Position[]): Position[] =>
  positions.slice(1).map(([x = 0, y = 0], index) => {
    const [beforeX = 0, beforeY = 0] = positions[index] ?? []
    return [(x + beforeX) / 2, (y + beforeY) / 2]
  })

/** Counts the sides that a ray to the east crosses. */
const sideOf = ([x = 0, y = 0]: Position, ring: readonly Position[]): 'in' | 'out' | 'on' => {
  let isIn = false
  for (let index = 1; index < ring.length; index++) {
    const [ax = 0, ay = 0] = ring[index - 1] as Position
    const [bx = 0, by = 0] = ring[index] as Position
    const cross = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
    if (
      cross === 0 &&
      Math.min(ax, bx) <= x &&
      x <= Math.max(ax, bx) &&
      Math.min(ay, by) <= y &&
      y <= Math.max(ay, by)
    ) {
      return 'on'
    }
    if (ay > y !== by > y && cross > 0 === by > ay) isIn = !isIn
  }
  return isIn ? 'in' : 'out'
}

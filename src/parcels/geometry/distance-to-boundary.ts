import type { MultiPolygon, Position } from 'geojson'
import { holdsPoint } from './holds-point'
import { polygonsMeet } from './polygons-meet'

/** The mean radius of the Earth (IUGG). */
export const EARTH_RADIUS_M = 6_371_008.8

type Vector = [x: number, y: number, z: number]

/** A boundary as unit vectors, to measure several distances to it. */
export interface MeasuredBoundary {
  geom: MultiPolygon
  rings: Vector[][]
}

const RADIANS = Math.PI / 180

const toVector = ([lon = 0, lat = 0]: Position): Vector => {
  const across = Math.cos(lat * RADIANS)
  return [across * Math.cos(lon * RADIANS), across * Math.sin(lon * RADIANS), Math.sin(lat * RADIANS)]
}

export const measureBoundary = (geom: MultiPolygon): MeasuredBoundary => ({
  geom,
  rings: geom.coordinates.flat().map((ring) => ring.map(toVector)),
})

/**
 * The distance from a point to a boundary, in meters on a sphere. 0 if the point is inside or on the border. Edges are parts of great
 * circles; for an edge of 1 km that is at most 3 cm from the straight line between its longitudes and latitudes.
 */
export const distanceToBoundaryM = (boundary: MeasuredBoundary, lon: number, lat: number): number =>
  holdsPoint(boundary.geom, lon, lat) ? 0 : toMeters(nearestChord(boundary, toVector([lon, lat])))

/** The distance between two boundaries, in meters on a sphere. 0 if they touch or overlap. */
export const distanceBetweenM = (one: MeasuredBoundary, other: MeasuredBoundary): number => {
  if (polygonsMeet(one.geom, other.geom)) return 0
  // Two separate boundaries are nearest at a corner of one of them.
  const corners = (from: MeasuredBoundary, to: MeasuredBoundary) =>
    from.rings.reduce((least, ring) => ring.reduce((nearest, at) => Math.min(nearest, nearestChord(to, at)), least), 2)
  return toMeters(Math.min(corners(one, other), corners(other, one)))
}

const toMeters = (chord: number): number => 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, chord / 2))

/** The shortest straight line from a point on the unit sphere to an edge. */
const nearestChord = ({ rings }: MeasuredBoundary, at: Vector): number => {
  let least = 4
  for (const ring of rings) {
    for (let index = 1; index < ring.length; index++) {
      least = Math.min(least, squaredChordToEdge(ring[index - 1] as Vector, ring[index] as Vector, at))
    }
  }
  return Math.sqrt(least)
}

/** All differences are taken from `a`, so that edges of a meter are as exact as the coordinates. */
const squaredChordToEdge = (a: Vector, b: Vector, at: Vector): number => {
  const [ux, uy, uz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
  const [wx, wy, wz] = [at[0] - a[0], at[1] - a[1], at[2] - a[2]]
  const along = wx * ux + wy * uy + wz * uz
  const length = ux * ux + uy * uy + uz * uz
  if (along <= 0 || length === 0) return wx * wx + wy * wy + wz * wz
  if (along >= length) {
    const [vx, vy, vz] = [at[0] - b[0], at[1] - b[1], at[2] - b[2]]
    return vx * vx + vy * vy + vz * vz
  }
  // The normal of the plane of the great circle. Its product with `at` is the sine of the distance.
  const [nx, ny, nz] = [a[1] * uz - a[2] * uy, a[2] * ux - a[0] * uz, a[0] * uy - a[1] * ux]
  // Math.hypot guards against overflow, which unit vectors cannot cause, and takes several times as long.
  const sine = (nx * wx + ny * wy + nz * wz) / Math.sqrt(nx * nx + ny * ny + nz * nz)
  // The chord of an angle, from its sine: 2 sin²(angle / 2) = 1 - cos(angle).
  const squared = sine * sine
  return (2 * squared) / (1 + Math.sqrt(Math.max(0, 1 - squared)))
}

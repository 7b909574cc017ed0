import type { MultiPolygon, Position } from 'geojson'
import { holdsPoint } from './holds-point'
import { polygonsMeet } from './polygons-meet'

/** The mean radius of the Earth (IUGG). */
export const EARTH_RADIUS_M = 6_371_008.8

type Vector = [x: number, y: number, z: number]

/** A boundary as unit vectors, to measure several distances to it. */
export interface MeasuredBoundary {
  geom: MultiPolygon
  corners: Vector[]
  runs: Run[]
}

interface Box {
  low: Vector
  high: Vector
}

/** Some edges that follow each other, or some such runs, and a box around them. If the box is far from a point, they need not be measured. */
type Run = Box & ({ corners: Vector[] } | { runs: Run[] })

/** How many edges or runs a run has. */
const PARTS_OF_RUN = 16

const RADIANS = Math.PI / 180

const toVector = ([lon = 0, lat = 0]: Position): Vector => {
  const across = Math.cos(lat * RADIANS)
  return [across * Math.cos(lon * RADIANS), across * Math.sin(lon * RADIANS), Math.sin(lat * RADIANS)]
}

export const measureBoundary = (geom: MultiPolygon): MeasuredBoundary => {
  const rings = geom.coordinates.flat().map((ring) => ring.map(toVector))
  return { geom, corners: rings.flat(), runs: joinRuns(rings.flatMap(listRuns)) }
}

/** Runs of runs, until there are few. */
const joinRuns = (parts: Run[]): Run[] => {
  if (parts.length <= PARTS_OF_RUN) return parts
  const joined: Run[] = []
  for (let first = 0; first < parts.length; first += PARTS_OF_RUN) {
    const runs = parts.slice(first, first + PARTS_OF_RUN)
    joined.push({
      runs,
      low: extremes(
        runs.map(({ low }) => low),
        Math.min,
      ),
      high: extremes(
        runs.map(({ high }) => high),
        Math.max,
      ),
    })
  }
  return joinRuns(joined)
}

const listRuns = (ring: Vector[]): Run[] => {
  const runs: Run[] = []
  for (let first = 0; first < ring.length - 1; first += PARTS_OF_RUN) {
    const corners = ring.slice(first, first + PARTS_OF_RUN + 1)
    const longest = corners.reduce(
      (most, corner, index) => Math.max(most, squaredGap(corner, corners[index - 1] ?? corner)),
      0,
    )
    // An edge is an arc: it is above its chord by up to an eighth of the chord's square, or a quarter if it is very long.
    const low = extremes(corners, Math.min).map((value) => value - longest / 4) as Vector
    const high = extremes(corners, Math.max).map((value) => value + longest / 4) as Vector
    runs.push({ corners, low, high })
  }
  return runs
}

/** The lowest or highest value of each axis. */
const extremes = (vectors: readonly Vector[], choose: (one: number, other: number) => number): Vector =>
  vectors.reduce((so, [x, y, z]) => [choose(so[0], x), choose(so[1], y), choose(so[2], z)])

const squaredGap = (a: Vector, b: Vector): number => (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2

/**
 * The distance from a point to a boundary, in meters on a sphere. 0 if the point is inside or on the border. Edges are parts of great
 * circles; for an edge of 1 km that is at most 3 cm from the straight line between its longitudes and latitudes.
 */
export const distanceToBoundaryM = (boundary: MeasuredBoundary, lon: number, lat: number): number =>
  holdsPoint(boundary.geom, lon, lat) ? 0 : toMeters(nearestSquaredChord(boundary, toVector([lon, lat]), MOST))

/** The distance between two boundaries, in meters on a sphere. 0 if they touch or overlap. */
export const distanceBetweenM = (one: MeasuredBoundary, other: MeasuredBoundary): number => {
  if (polygonsMeet(one.geom, other.geom)) return 0
  // Two separate boundaries are nearest at a corner of one of them.
  const corners = (from: MeasuredBoundary, to: MeasuredBoundary, least: number) =>
    from.corners.reduce((known, at) => nearestSquaredChord(to, at, known), least)
  return toMeters(corners(other, one, corners(one, other, MOST)))
}

/** The square of the longest chord, which is the diameter. */
const MOST = 4

const toMeters = (squaredChord: number): number =>
  2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(squaredChord) / 2))

/** The square of the shortest straight line from a point on the unit sphere to an edge, or `known` if no edge is nearer. */
const nearestSquaredChord = ({ runs }: { runs: Run[] }, at: Vector, known: number): number => {
  let least = known
  for (const run of runs) {
    if (squaredGapToBox(run, at) >= least) continue
    if ('runs' in run) {
      least = nearestSquaredChord(run, at, least)
      continue
    }
    for (let index = 1; index < run.corners.length; index++) {
      least = Math.min(least, squaredChordToEdge(run.corners[index - 1] as Vector, run.corners[index] as Vector, at))
    }
  }
  return least
}

const squaredGapToBox = ({ low, high }: Box, at: Vector): number => {
  const x = Math.max(low[0] - at[0], at[0] - high[0], 0)
  const y = Math.max(low[1] - at[1], at[1] - high[1], 0)
  const z = Math.max(low[2] - at[2], at[2] - high[2], 0)
  return x * x + y * y + z * z
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

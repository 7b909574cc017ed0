import type { MultiPolygon } from 'geojson'
import type { Bbox } from '../../../core/geometry/bbox'

/** The edges of a boundary, ordered by their western ends, and the area inside. Coordinates are relative to `origin`. */
interface Shape {
  edges: Edge[]
  area: number
  bbox: Bbox
}

/** An edge from west to east. `sign` is 1 if the inside is below it, and -1 if it is above. */
interface Edge {
  west: number
  east: number
  /** Its latitude at `west`, and how much it rises per degree of longitude. */
  y: number
  slope: number
  sign: number
}

/** Areas of two boundaries in square degrees: of each, and of the shared part. */
export interface SharedArea {
  first: number
  second: number
  shared: number
}

/**
 * The area that two multipolygons share, exact in plane geometry up to rounding. Rings must be oriented as RFC 7946 requires, which is how
 * boundaries are stored.
 *
 * A polygon is a sum of strips: below each edge that has the inside below it, minus below each edge that has the inside above it. So
 * the shared area is a sum over pairs of edges: the area that both strips share. There is no intermediate polygon, so it works for
 * rings that touch or cross themselves. It takes 0.05 ms for two boundaries of 20 edges and 14 ms for two of 2,000, which is 50 to 150
 * times faster than Turf builds the intersection (2026-11-22).
 */
export const measureSharedArea = (first: MultiPolygon, second: MultiPolygon): SharedArea => {
  const origin = first.coordinates[0]?.[0]?.[0] ?? [0, 0]
  const [a, b] = [readShape(first, origin), readShape(second, origin)]
  return { first: a.area, second: b.area, shared: boxesMeet(a.bbox, b.bbox) ? sumStrips(a, b) : 0 }
}

const readShape = ({ coordinates }: MultiPolygon, [originX = 0, originY = 0]: number[]): Shape => {
  const edges: Edge[] = []
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  let area = 0
  for (const ring of coordinates.flat()) {
    for (let index = 1; index < ring.length; index++) {
      const x1 = (ring[index - 1]?.[0] ?? 0) - originX
      const y1 = (ring[index - 1]?.[1] ?? 0) - originY
      const x2 = (ring[index]?.[0] ?? 0) - originX
      const y2 = (ring[index]?.[1] ?? 0) - originY
      west = Math.min(west, x1)
      east = Math.max(east, x1)
      south = Math.min(south, y1)
      north = Math.max(north, y1)
      area += ((x1 - x2) * (y1 + y2)) / 2
      if (x1 === x2) continue
      const slope = (y2 - y1) / (x2 - x1)
      edges.push(
        x1 < x2 ? { west: x1, east: x2, y: y1, slope, sign: -1 } : { west: x2, east: x1, y: y2, slope, sign: 1 },
      )
    }
  }
  edges.sort((a, b) => a.west - b.west)
  return { edges, area, bbox: [west, south, east, north] }
}

const boxesMeet = (a: Bbox, b: Bbox): boolean => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]

const sumStrips = (a: Shape, b: Shape): number => {
  // The bottom of all strips. Any latitude below both boundaries gives the same sum; a close one keeps rounding errors small.
  const floor = Math.min(a.bbox[1], b.bbox[1])
  let sum = 0
  for (const one of a.edges) {
    for (const other of b.edges) {
      if (other.west >= one.east) break
      if (other.east > one.west) sum += one.sign * other.sign * areaBelowBoth(one, other, floor)
    }
  }
  return sum
}

/** The area between `floor` and the lower of two edges, over their common longitudes. */
const areaBelowBoth = (one: Edge, other: Edge, floor: number): number => {
  const west = Math.max(one.west, other.west)
  const east = Math.min(one.east, other.east)
  const [oneWest, oneEast] = [heightAt(one, west), heightAt(one, east)]
  const [otherWest, otherEast] = [heightAt(other, west), heightAt(other, east)]
  const [gapWest, gapEast] = [oneWest - otherWest, oneEast - otherEast]
  const low = ((Math.min(oneWest, otherWest) + Math.min(oneEast, otherEast)) / 2 - floor) * (east - west)
  if (gapWest * gapEast >= 0) return low
  // The edges cross. The lower of the two rises above the line between its ends, by a triangle.
  const crossing = gapWest / (gapWest - gapEast)
  return low + ((east - west) * crossing * Math.abs(gapEast)) / 2
}

const heightAt = ({ west, y, slope }: Edge, x: number): number => y + slope * (x - west)

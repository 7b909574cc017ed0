import type { MultiPolygon, Position } from 'geojson'
import { type Bbox, bboxOf } from '../../../core/geometry/bbox'
import { edgesMeet } from '../../../core/geometry/ring-meetings'
import { isInside, polygonMeetsBox } from './polygon-meets-box'

/**
 * Whether two multipolygons share a point. Touching counts. Exact in plane geometry. Either two of their edges touch, or a part of one
 * is inside the other, which testing one of its positions shows. Compares each edge of one with each edge of the other, except those
 * outside the other's box, so the worst case is the product of their sizes.
 */
export const polygonsMeet = (one: MultiPolygon, other: MultiPolygon): boolean => {
  const box = bboxOf(one)
  if (!polygonMeetsBox(other, box)) return false
  const edges = listEdges(one, bboxOf(other))
  const others = listEdges(other, box)
  for (const [a, b] of edges) for (const [c, d] of others) if (edgesMeet(a, b, c, d)) return true
  return holdsPartOf(one, other) || holdsPartOf(other, one)
}

/** The edges whose own box overlaps `box`. */
const listEdges = ({ coordinates }: MultiPolygon, [west, south, east, north]: Bbox): [Position, Position][] => {
  const edges: [Position, Position][] = []
  for (const ring of coordinates.flat()) {
    for (let index = 1; index < ring.length; index++) {
      const a = ring[index - 1] as Position
      const b = ring[index] as Position
      const [ax = 0, ay = 0] = a
      const [bx = 0, by = 0] = b
      const isAway =
        (ax < west && bx < west) || (ax > east && bx > east) || (ay < south && by < south) || (ay > north && by > north)
      if (!isAway) edges.push([a, b])
    }
  }
  return edges
}

/**
 * Whether a part of `inner` begins inside `outer`. This is enough if no edges touch, because then each part is completely inside or
 * outside.
 */
const holdsPartOf = (outer: MultiPolygon, inner: MultiPolygon): boolean =>
  inner.coordinates.some(([ring]) => {
    const [x = 0, y = 0] = ring?.[0] ?? []
    return outer.coordinates.some((rings) => isInside(rings, x, y))
  })

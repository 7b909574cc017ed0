import type { MultiPolygon, Position } from 'geojson'
import { type Bbox, bboxOf, boxesMeet } from '../../../core/geometry/bbox'
import { edgesMeet } from '../../../core/geometry/ring-meetings'
import { indexBoxes } from './box-index'
import { isInside, polygonMeetsBox } from './polygon-meets-box'

/**
 * Whether two multipolygons share a point. Touching counts. Exact in plane geometry. Either two of their edges touch, or a part of one
 * is inside the other, which testing one of its positions shows. Compares only edges whose boxes meet.
 */
export const polygonsMeet = (one: MultiPolygon, other: MultiPolygon): boolean => {
  const box = bboxOf(one)
  if (!polygonMeetsBox(other, box)) return false
  const edges = listEdges(one, bboxOf(other))
  const others = listEdges(other, box)
  const [fewer, more] = edges.length < others.length ? [edges, others] : [others, edges]
  const listNear = indexBoxes(fewer.map((edge) => edge.box))
  const areMeeting = more.some((edge) =>
    listNear(edge.box).some((index) => {
      const near = fewer[index] as Edge
      return edgesMeet(edge.a, edge.b, near.a, near.b)
    }),
  )
  return areMeeting || holdsPartOf(one, other) || holdsPartOf(other, one)
}

interface Edge {
  a: Position
  b: Position
  box: Bbox
}

/** The edges whose own box meets `box`. */
const listEdges = ({ coordinates }: MultiPolygon, box: Bbox): Edge[] =>
  coordinates.flat().flatMap((ring) =>
    ring.slice(1).flatMap((b, index) => {
      const a = ring[index] as Position
      const edge = { a, b, box: boxOf(a, b) }
      return boxesMeet(edge.box, box) ? [edge] : []
    }),
  )

const boxOf = ([ax = 0, ay = 0]: Position, [bx = 0, by = 0]: Position): Bbox => [
  Math.min(ax, bx),
  Math.min(ay, by),
  Math.max(ax, bx),
  Math.max(ay, by),
]

/**
 * Whether a part of `inner` begins inside `outer`. This is enough if no edges touch, because then each part is completely inside or
 * outside.
 */
const holdsPartOf = (outer: MultiPolygon, inner: MultiPolygon): boolean =>
  inner.coordinates.some(([ring]) => {
    const [x = 0, y = 0] = ring?.[0] ?? []
    return outer.coordinates.some((rings) => isInside(rings, x, y))
  })

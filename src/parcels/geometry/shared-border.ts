import type { MultiPolygon, Position } from 'geojson'
import type { Bbox } from '../../../core/geometry/bbox'
import { indexBoxes } from './box-index'
import { EARTH_RADIUS_M } from './distance-to-boundary'

/** Neighbors are often surveyed separately. Borders that are nearer than this are one border. */
export const SAME_BORDER_M = 0.1

/**
 * Returns a function for the length of the border that another boundary shares with this one, in meters. A common corner has no length.
 * Computed in a plane around this boundary, which is exact enough for parcels.
 */
export const prepareBorder = (geom: MultiPolygon): ((other: MultiPolygon) => number) => {
  const [lon0 = 0, lat0 = 0] = geom.coordinates[0]?.[0]?.[0] ?? []
  const scale = (EARTH_RADIUS_M * Math.PI) / 180
  const toPlane = ([lon = 0, lat = 0]: Position): Position => [
    (lon - lon0) * scale * Math.cos((lat0 * Math.PI) / 180),
    (lat - lat0) * scale,
  ]
  const edges = listEdges(geom, toPlane)
  // Boundaries of lakes and roads have thousands of edges.
  const listNear = indexBoxes(edges.map(({ box }) => box))
  return (other) => {
    const shared = listEdges(other, toPlane).flatMap((one) =>
      listNear(one.box).flatMap((index) => {
        const span = overlap(edges[index] as Edge, one)
        return span === null ? [] : [{ index, span }]
      }),
    )
    const byEdge = Map.groupBy(shared, ({ index }) => index)
    return [...byEdge.values()].reduce((sum, of) => sum + lengthOf(of.map(({ span }) => span)), 0)
  }
}

/** The edge ab in the plane, in meters. The box is wider by `SAME_BORDER_M`, so that boxes of edges with a part of one border meet. */
interface Edge {
  a: Position
  b: Position
  box: Bbox
}
type Span = [from: number, to: number]

const listEdges = ({ coordinates }: MultiPolygon, toPlane: (position: Position) => Position): Edge[] =>
  coordinates.flat().flatMap((ring) => {
    const plane = ring.map(toPlane)
    return plane.slice(1).map((b, index) => toEdge(plane[index] as Position, b))
  })

const toEdge = (a: Position, b: Position): Edge => {
  const [ax = 0, ay = 0] = a
  const [bx = 0, by = 0] = b
  const [west, south] = [Math.min(ax, bx) - SAME_BORDER_M, Math.min(ay, by) - SAME_BORDER_M]
  const [east, north] = [Math.max(ax, bx) + SAME_BORDER_M, Math.max(ay, by) + SAME_BORDER_M]
  return { a, b, box: [west, south, east, north] }
}

/** The part of an edge, in meters from its beginning, that the next one runs along. Null: none. */
const overlap = (one: Edge, other: Edge): Span | null => {
  const [[ax = 0, ay = 0], [bx = 0, by = 0]] = [one.a, one.b]
  const [[cx = 0, cy = 0], [dx = 0, dy = 0]] = [other.a, other.b]
  const length = Math.hypot(bx - ax, by - ay)
  if (length === 0) return null
  const [ux, uy] = [(bx - ax) / length, (by - ay) / length]
  const along = (x: number, y: number) => (x - ax) * ux + (y - ay) * uy
  const aside = (x: number, y: number) => (y - ay) * ux - (x - ax) * uy
  const [c, d] = [along(cx, cy), along(dx, dy)]
  if (c === d) return null
  const [from, to] = [Math.max(0, Math.min(c, d)), Math.min(length, Math.max(c, d))]
  if (from >= to) return null
  const asideAt = (at: number) => aside(cx, cy) + ((at - c) / (d - c)) * (aside(dx, dy) - aside(cx, cy))
  return Math.abs(asideAt(from)) <= SAME_BORDER_M && Math.abs(asideAt(to)) <= SAME_BORDER_M ? [from, to] : null
}

/** The length of spans, without counting a part twice. */
const lengthOf = (spans: Span[]): number => {
  let [sum, reached] = [0, 0]
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    sum += Math.max(0, to - Math.max(from, reached))
    reached = Math.max(reached, to)
  }
  return sum
}

import type { MultiPolygon, Position } from 'geojson'
import { EARTH_RADIUS_M } from './distance-to-boundary'

/** Neighbors are often surveyed separately. Borders that are nearer than this are one border. */
export const SAME_BORDER_M = 0.1

/**
 * The length of the border that two boundaries share, in meters. A common corner has no length. Computed in a plane around the first
 * boundary, which is exact enough for parcels.
 */
export const measureSharedBorderM = (one: MultiPolygon, other: MultiPolygon): number => {
  const [lon0 = 0, lat0 = 0] = one.coordinates[0]?.[0]?.[0] ?? []
  const scale = (EARTH_RADIUS_M * Math.PI) / 180
  const toPlane = ([lon = 0, lat = 0]: Position): Position => [
    (lon - lon0) * scale * Math.cos((lat0 * Math.PI) / 180),
    (lat - lat0) * scale,
  ]
  const others = listEdges(other, toPlane)
  return listEdges(one, toPlane).reduce((sum, edge) => sum + lengthOf(others.flatMap((next) => overlap(edge, next))), 0)
}

type Edge = [a: Position, b: Position]
type Span = [from: number, to: number]

const listEdges = ({ coordinates }: MultiPolygon, toPlane: (position: Position) => Position): Edge[] =>
  coordinates.flat().flatMap((ring) => {
    const plane = ring.map(toPlane)
    return plane.slice(1).map((to, index): Edge => [plane[index] as Position, to])
  })

/** The part of an edge, in meters from its beginning, that the next one runs along. */
const overlap = ([[ax = 0, ay = 0], [bx = 0, by = 0]]: Edge, [[cx = 0, cy = 0], [dx = 0, dy = 0]]: Edge): Span[] => {
  const length = Math.hypot(bx - ax, by - ay)
  if (length === 0) return []
  const [ux, uy] = [(bx - ax) / length, (by - ay) / length]
  const along = (x: number, y: number) => (x - ax) * ux + (y - ay) * uy
  const aside = (x: number, y: number) => (y - ay) * ux - (x - ax) * uy
  const [c, d] = [along(cx, cy), along(dx, dy)]
  if (c === d) return []
  const [from, to] = [Math.max(0, Math.min(c, d)), Math.min(length, Math.max(c, d))]
  if (from >= to) return []
  const asideAt = (at: number) => aside(cx, cy) + ((at - c) / (d - c)) * (aside(dx, dy) - aside(cx, cy))
  return Math.abs(asideAt(from)) <= SAME_BORDER_M && Math.abs(asideAt(to)) <= SAME_BORDER_M ? [[from, to]] : []
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

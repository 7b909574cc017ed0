import type { MultiPolygon, Position } from 'geojson'
import { yieldToOthers } from '../../../core/concurrency/yield-to-others'
import { type Bbox, bboxOf } from '../../../core/geometry/bbox'
import { edgesMeet } from '../../../core/geometry/ring-meetings'
import { holdsPoint } from './holds-point'
import { pointInside } from './point-inside'
import { edgeMeetsBox } from './polygon-meets-box'

export type AreaRelation = 'intersects' | 'within'

/** An area that many parcels are compared with. */
export interface PreparedArea {
  bbox: Bbox
  /** What the box of a parcel shows about the parcel. `edge`: its boundary decides. */
  judgeBox: (box: Bbox) => 'inside' | 'outside' | 'edge'
  /** Whether a parcel's boundary and the area share a point. Yields in between: both can have thousands of edges. */
  meets: (parcel: MultiPolygon) => Promise<boolean>
  /** Whether the whole parcel is in the area. It may touch the border from inside. Yields, as `meets` does. */
  holds: (parcel: MultiPolygon) => Promise<boolean>
}

/** `part`: the polygon that it belongs to. */
type Edge = [a: Position, b: Position, part: number]

/** About a tenth of a millimeter. A point nearer to the border than this is on it. */
const TOUCH_DEG = 1e-9

/** How many edges are compared before others have their turn. That takes about a tenth of a millisecond. */
const EDGES_A_TURN = 20_000

/**
 * Prepares a multipolygon. The rings of each polygon must not cross; polygons may touch or overlap. Its edges are in bands of latitude,
 * so that a parcel is compared only with edges at its latitude. There are about as many bands as edges in a band, which bounds the
 * memory for edges that span all bands.
 */
export const prepareArea = (area: MultiPolygon): PreparedArea => {
  const bbox = bboxOf(area)
  const [, south, , north] = bbox
  const edges = listEdges(area)
  const polygons = area.coordinates.map((rings) => bboxOf({ type: 'MultiPolygon', coordinates: [rings] }))
  const count = Math.max(1, Math.ceil(Math.sqrt(edges.length)))
  const height = (north - south) / count || 1
  const bands: number[][] = Array.from({ length: count }, () => [])
  const bandOf = (y: number) => Math.min(count - 1, Math.max(0, Math.floor((y - south) / height)))
  for (const [index, [a, b]] of edges.entries()) {
    const [ya = 0, yb = 0] = [a[1], b[1]]
    for (let band = bandOf(Math.min(ya, yb)); band <= bandOf(Math.max(ya, yb)); band++) bands[band]?.push(index)
  }

  const edgesNear = (box: Bbox): Edge[] => {
    const found: Edge[] = []
    const [first, last] = [bandOf(box[1]), bandOf(box[3])]
    // Edges that span many bands would be read once for each of them.
    const read = bands.slice(first, last + 1).reduce((sum, band) => sum + band.length, 0)
    if (read > edges.length) return edges.filter((edge) => boxOfEdgeMeets(edge, box))
    for (let band = first; band <= last; band++) {
      for (const index of bands[band] ?? []) {
        const edge = edges[index] as Edge
        // An edge in several bands counts only in the first band that the box has.
        if (band > first && bandOf(Math.min(edge[0][1] ?? 0, edge[1][1] ?? 0)) < band) continue
        if (boxOfEdgeMeets(edge, box)) found.push(edge)
      }
    }
    return found
  }
  /** Whether a point is inside one of the polygons, by the even-odd rule. It must not be on a border. */
  const isInside = (x: number, y: number): boolean => {
    if (y < south || y > north) return false
    let inside = false
    let current = -1
    let isBeside = false
    // The edges of a band are in the order of their polygons.
    for (const index of bands[bandOf(y)] ?? []) {
      const edge = edges[index] as Edge
      if (edge[2] !== current) {
        if (inside) return true
        current = edge[2]
        const polygon = polygons[current] as Bbox
        isBeside = x < polygon[0] || x > polygon[2]
      }
      if (isBeside) continue
      const [[x1 = 0, y1 = 0], [x2 = 0, y2 = 0]] = edge
      if (y1 > y !== y2 > y && (x1 - x) * (y2 - y) - (x2 - x) * (y1 - y) > 0 === y2 > y1) inside = !inside
    }
    return inside
  }

  const judgeBox: PreparedArea['judgeBox'] = (box) => {
    if (edgesNear(box).some(([a, b]) => edgeMeetsBox(a, b, box))) return 'edge'
    return isInside(box[0], box[1]) ? 'inside' : 'outside'
  }
  const meets: PreparedArea['meets'] = async (parcel) => {
    const pause = createPause()
    const own = listEdges(parcel)
    for (const [a, b] of edgesNear(bboxOf(parcel))) {
      await pause(own.length)
      if (own.some(([c, d]) => edgesMeet(a, b, c, d))) return true
    }
    // No edges touch, so each part of one is completely inside or outside the other.
    for (const [ring] of parcel.coordinates) {
      await pause(edges.length)
      if (isInside(ring?.[0]?.[0] ?? 0, ring?.[0]?.[1] ?? 0)) return true
    }
    for (const [ring] of area.coordinates) {
      await pause(own.length)
      if (holdsPoint(parcel, ring?.[0]?.[0] ?? 0, ring?.[0]?.[1] ?? 0)) return true
    }
    return false
  }
  const holds: PreparedArea['holds'] = async (parcel) => {
    const pause = createPause()
    const near = edgesNear(bboxOf(parcel))
    const own = listEdges(parcel)
    const isInParcel = (x: number, y: number) => holdsPoint(parcel, x, y) && !isOnSome(own, x, y)
    /** Polygons of the area may touch or overlap, so both sides of an edge can be in the area. */
    const isBetween = ([a, b]: Edge, x: number, y: number) => {
      const [ux, uy] = [(b[0] ?? 0) - (a[0] ?? 0), (b[1] ?? 0) - (a[1] ?? 0)]
      const step = (2 * TOUCH_DEG) / Math.hypot(ux, uy)
      return isInside(x - uy * step, y + ux * step) && isInside(x + uy * step, y - ux * step)
    }
    // The parcel's border is in the area ...
    for (const edge of own) {
      await pause(near.length)
      const beside = near.filter((other) => boxOfEdgeMeets(other, aroundEdge(edge)))
      for (const [x = 0, y = 0] of listMiddles(edge, beside)) {
        await pause(edges.length)
        if (!isInside(x, y) && !isOnSome(beside, x, y)) return false
      }
    }
    // ... and no border of the area (such as a hole's) is within the parcel.
    for (const edge of near) {
      await pause(own.length)
      for (const [x = 0, y = 0] of listMiddles(edge, own)) {
        await pause(own.length + edges.length)
        if (isInParcel(x, y) && !isBetween(edge, x, y)) return false
      }
    }
    // The border of a parcel that fills a hole is in the area, but its inside is not.
    return parcel.coordinates.map(pointInside).every(([x = 0, y = 0]) => isInside(x, y) || isOnSome(near, x, y))
  }
  return { bbox, judgeBox, meets, holds }
}

/** Waits for a turn after each `EDGES_A_TURN` compared edges. */
const createPause = () => {
  let compared = 0
  return async (edges: number): Promise<void> => {
    compared += edges
    if (compared < EDGES_A_TURN) return
    compared = 0
    await yieldToOthers()
  }
}

const listEdges = ({ coordinates }: MultiPolygon): Edge[] =>
  coordinates.flatMap((rings, part) =>
    rings.flatMap((ring) => ring.slice(1).map((to, index): Edge => [ring[index] as Position, to, part])),
  )

const boxOfEdgeMeets = ([[ax = 0, ay = 0], [bx = 0, by = 0]]: Edge, [west, south, east, north]: Bbox): boolean =>
  !((ax < west && bx < west) || (ax > east && bx > east) || (ay < south && by < south) || (ay > north && by > north))

/** The box of everything that touches an edge. */
const aroundEdge = ([[ax = 0, ay = 0], [bx = 0, by = 0]]: Edge): Bbox => [
  Math.min(ax, bx) - TOUCH_DEG,
  Math.min(ay, by) - TOUCH_DEG,
  Math.max(ax, bx) + TOUCH_DEG,
  Math.max(ay, by) + TOUCH_DEG,
]

/** The middle of each piece of an edge, cut where other edges cross or touch it. */
const listMiddles = (edge: Edge, others: readonly Edge[]): Position[] => {
  const [[ax = 0, ay = 0], [bx = 0, by = 0]] = edge
  const [ux, uy] = [bx - ax, by - ay]
  const length = ux * ux + uy * uy
  const cuts = [0, 1]
  const cutAt = ([x = 0, y = 0]: Position) => {
    if (isOn(edge, x, y)) cuts.push(Math.min(1, Math.max(0, ((x - ax) * ux + (y - ay) * uy) / length)))
  }
  for (const [c, d] of others) {
    cutAt(c)
    cutAt(d)
    const [cx = 0, cy = 0, dx = 0, dy = 0] = [c[0], c[1], d[0], d[1]]
    const fromC = ux * (cy - ay) - uy * (cx - ax)
    const fromD = ux * (dy - ay) - uy * (dx - ax)
    if (fromC > 0 === fromD > 0) continue
    const share = fromC / (fromC - fromD)
    const [x, y] = [cx + share * (dx - cx), cy + share * (dy - cy)]
    const along = ((x - ax) * ux + (y - ay) * uy) / length
    if (along > 0 && along < 1) cuts.push(along)
  }
  cuts.sort((a, b) => a - b)
  const shortest = TOUCH_DEG / Math.sqrt(length)
  return cuts.slice(1).flatMap((to, index) => {
    const from = cuts[index] ?? 0
    const middle = (from + to) / 2
    return to - from <= shortest ? [] : [[ax + middle * ux, ay + middle * uy]]
  })
}

const isOnSome = (edges: readonly Edge[], x: number, y: number): boolean => {
  const around: Bbox = [x - TOUCH_DEG, y - TOUCH_DEG, x + TOUCH_DEG, y + TOUCH_DEG]
  return edges.some((edge) => boxOfEdgeMeets(edge, around) && isOn(edge, x, y))
}

const isOn = ([[ax = 0, ay = 0], [bx = 0, by = 0]]: Edge, x: number, y: number): boolean => {
  const [ux, uy] = [bx - ax, by - ay]
  const length = ux * ux + uy * uy
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * ux + (y - ay) * uy) / length))
  return Math.hypot(x - ax - along * ux, y - ay - along * uy) <= TOUCH_DEG
}

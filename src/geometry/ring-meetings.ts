import type { Position } from 'geojson'

export interface Meeting {
  /** Edges, by the index of the position they begin at. */
  first: number
  second: number
  at: Position
}

/** Up to this many edges, each is compared with each: sorting first costs more than it saves. */
const FEW_EDGES = 40

type Meet = (a: Position, b: Position, c: Position, d: Position) => Position | null

/** A place where two edges of a closed ring that do not follow each other cross or touch; null when it is simple. */
export const findMeeting = (ring: Position[]): Meeting | null => findPair(ring, meet)

/** A place where two edges of a closed ring run through each other by more than rounding explains; touching does not count. */
export const findCrossing = (ring: Position[]): Meeting | null => findPair(ring, cross)

const findPair = (ring: Position[], meets: Meet): Meeting | null =>
  ring.length - 1 <= FEW_EDGES ? compareEdges(ring, meets) : sweepEdges(ring, meets)

const compareEdges = (ring: Position[], meets: Meet): Meeting | null => {
  const edges = ring.length - 1
  for (let first = 0; first < edges - 2; first++) {
    const a = ring[first] as Position
    const b = ring[first + 1] as Position
    // The first edge and the last follow each other too.
    const end = first === 0 ? edges - 1 : edges
    for (let second = first + 2; second < end; second++) {
      const at = meets(a, b, ring[second] as Position, ring[second + 1] as Position)
      if (at !== null) return { first, second, at }
    }
  }
  return null
}

/** Edges in the order of their western ends: each is compared only with those that begin before it ends. */
const sweepEdges = (ring: Position[], meets: Meet): Meeting | null => {
  const edges = ring.length - 1
  const west = new Float64Array(edges)
  const east = new Float64Array(edges)
  const south = new Float64Array(edges)
  const north = new Float64Array(edges)
  for (let edge = 0; edge < edges; edge++) {
    const [ax = 0, ay = 0] = ring[edge] as Position
    const [bx = 0, by = 0] = ring[edge + 1] as Position
    west[edge] = Math.min(ax, bx)
    east[edge] = Math.max(ax, bx)
    south[edge] = Math.min(ay, by)
    north[edge] = Math.max(ay, by)
  }
  const order = Array.from(west.keys()).sort((a, b) => (west[a] as number) - (west[b] as number))
  for (let i = 0; i < edges; i++) {
    const a = order[i] as number
    for (let j = i + 1; j < edges; j++) {
      const b = order[j] as number
      if ((west[b] as number) > (east[a] as number)) break
      if ((south[b] as number) > (north[a] as number) || (north[b] as number) < (south[a] as number)) continue
      const gap = Math.abs(a - b)
      if (gap <= 1 || gap === edges - 1) continue
      const first = Math.min(a, b)
      const second = Math.max(a, b)
      const at = meets(
        ring[first] as Position,
        ring[first + 1] as Position,
        ring[second] as Position,
        ring[second + 1] as Position,
      )
      if (at !== null) return { first, second, at }
    }
  }
  return null
}

/** Where the edges ab and cd cross or touch; null when they do not, or lie along each other without a shared end. */
const meet = (a: Position, b: Position, c: Position, d: Position): Position | null => {
  const ax = a[0] as number
  const ay = a[1] as number
  const bx = b[0] as number
  const by = b[1] as number
  const cx = c[0] as number
  const cy = c[1] as number
  const dx = d[0] as number
  const dy = d[1] as number
  // Most pairs end here: one lies wholly beside the other.
  if (Math.max(ax, bx) < Math.min(cx, dx) || Math.min(ax, bx) > Math.max(cx, dx)) return null
  if (Math.max(ay, by) < Math.min(cy, dy) || Math.min(ay, by) > Math.max(cy, dy)) return null
  // On which side of ab are c and d, on which of cd a and b? Above 0 is left.
  const abc = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
  const abd = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
  if (abc * abd > 0) return null
  const cda = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
  const cdb = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
  if (cda * cdb > 0) return null
  if (abc === 0 && isWithin(c, a, b)) return c
  if (abd === 0 && isWithin(d, a, b)) return d
  if (cda === 0 && isWithin(a, c, d)) return a
  if (cdb === 0 && isWithin(b, c, d)) return b
  if (abc === 0 || abd === 0 || cda === 0 || cdb === 0) return null
  const share = cda / (cda - cdb)
  return [ax + share * (bx - ax), ay + share * (by - ay)]
}

const isWithin = ([x = 0, y = 0]: Position, [ax = 0, ay = 0]: Position, [bx = 0, by = 0]: Position): boolean =>
  x >= Math.min(ax, bx) && x <= Math.max(ax, bx) && y >= Math.min(ay, by) && y <= Math.max(ay, by)

/** Some millimetre: what lies nearer to an edge touches it. */
const TOUCH_DEG = 1e-8

/** Where the edges ab and cd run through each other, every end of one clear of the other; null when they do not. */
const cross = (a: Position, b: Position, c: Position, d: Position): Position | null => {
  const at = meet(a, b, c, d)
  if (at === null) return null
  const isClear = distanceToLine(c, a, b) > TOUCH_DEG && distanceToLine(d, a, b) > TOUCH_DEG
  return isClear && distanceToLine(a, c, d) > TOUCH_DEG && distanceToLine(b, c, d) > TOUCH_DEG ? at : null
}

const distanceToLine = ([x = 0, y = 0]: Position, [ax = 0, ay = 0]: Position, [bx = 0, by = 0]: Position): number =>
  Math.abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / Math.hypot(bx - ax, by - ay)

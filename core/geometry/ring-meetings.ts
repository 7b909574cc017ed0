import type { Position } from 'geojson'

export interface Meeting {
  /** Edges, by the index of their first position. */
  first: number
  second: number
  at: Position
}

/** Up to this many edges, all pairs are compared: sorting first would cost more than it saves. */
const FEW_EDGES = 40
/**
 * Average limits per edge: how many other edges are beside it along the sweep, and how many of those overlap its box. Real boundaries
 * have some dozens and a handful.
 */
const MAX_BESIDE = 200
const MAX_NEAR = 20
/** Every ring may have this many of each, so that small rings always pass. */
const OF_ANY_RING = 500_000

type Meet = (a: Position, b: Position, c: Position, d: Position) => Position | null

/** A ring has too many neighboring edges to compare them all. Real boundaries never do. */
export class TooDense extends Error {}

/**
 * Lists the places where two edges of a closed ring cross or touch, apart from edges that follow each other. A simple ring has none.
 * The list stops after `most` + 1 places.
 *
 * @throws TooDense
 */
export const listMeetings = (ring: Position[], most: number): Meeting[] => {
  const meetings: Meeting[] = []
  comparePairs(ring, meet, (meeting) => meetings.push(meeting) > most)
  return meetings
}

/**
 * Finds a place where two edges of a closed ring cross by more than rounding explains. Touching does not count. Null: none was found.
 * A ring that is too dense is searched only in part.
 */
export const findCrossing = (ring: Position[]): Meeting | null => {
  let crossing: Meeting | null = null
  const take = (meeting: Meeting) => {
    crossing = meeting
    return true
  }
  try {
    comparePairs(ring, cross, take)
  } catch (error) {
    if (!(error instanceof TooDense)) throw error
  }
  return crossing
}

/** Passes each meeting to `take`, until it returns true. */
const comparePairs = (ring: Position[], meets: Meet, take: (meeting: Meeting) => boolean): void => {
  const compare = (first: number, second: number): boolean => {
    const at = meets(
      ring[first] as Position,
      ring[first + 1] as Position,
      ring[second] as Position,
      ring[second + 1] as Position,
    )
    return at !== null && take({ first, second, at })
  }
  if (ring.length - 1 <= FEW_EDGES) compareAll(ring.length - 1, compare)
  else sweepEdges(ring, compare)
}

const compareAll = (edges: number, compare: (first: number, second: number) => boolean): void => {
  for (let first = 0; first < edges - 2; first++) {
    // The first edge and the last follow each other too.
    const end = first === 0 ? edges - 1 : edges
    for (let second = first + 2; second < end; second++) if (compare(first, second)) return
  }
}

/**
 * Sorts the edges by where they begin along the ring's longer side. Each is compared only with those that begin before it ends.
 * O(n log n), because the sweep gives up on rings that would take longer.
 */
const sweepEdges = (ring: Position[], compare: (first: number, second: number) => boolean): void => {
  const edges = ring.length - 1
  const along = isWide(ring) ? 0 : 1
  const across = 1 - along
  const begin = new Float64Array(edges)
  const end = new Float64Array(edges)
  const low = new Float64Array(edges)
  const high = new Float64Array(edges)
  for (let edge = 0; edge < edges; edge++) {
    const a = ring[edge] as Position
    const b = ring[edge + 1] as Position
    begin[edge] = Math.min(a[along] as number, b[along] as number)
    end[edge] = Math.max(a[along] as number, b[along] as number)
    low[edge] = Math.min(a[across] as number, b[across] as number)
    high[edge] = Math.max(a[across] as number, b[across] as number)
  }
  const order = Uint32Array.from(begin.keys()).sort((a, b) => (begin[a] as number) - (begin[b] as number))
  let beside = OF_ANY_RING + edges * MAX_BESIDE
  let near = OF_ANY_RING + edges * MAX_NEAR
  for (let i = 0; i < edges; i++) {
    const a = order[i] as number
    for (let j = i + 1; j < edges; j++) {
      const b = order[j] as number
      if ((begin[b] as number) > (end[a] as number)) break
      if (--beside < 0) throw new TooDense(`each edge has more than ${MAX_BESIDE} others beside it on average`)
      if ((low[b] as number) > (high[a] as number) || (high[b] as number) < (low[a] as number)) continue
      const gap = Math.abs(a - b)
      if (gap <= 1 || gap === edges - 1) continue
      if (--near < 0) throw new TooDense(`each edge has more than ${MAX_NEAR} others in its box on average`)
      if (compare(Math.min(a, b), Math.max(a, b))) return
    }
  }
}

const isWide = (ring: readonly Position[]): boolean => {
  let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const [x = 0, y = 0] of ring) {
    west = Math.min(west, x)
    east = Math.max(east, x)
    south = Math.min(south, y)
    north = Math.max(north, y)
  }
  return east - west >= north - south
}

/** Where the edges ab and cd cross or touch; null when they do not, or when they are parallel on one line without a shared end. */
const meet = (a: Position, b: Position, c: Position, d: Position): Position | null => {
  const ax = a[0] as number
  const ay = a[1] as number
  const bx = b[0] as number
  const by = b[1] as number
  const cx = c[0] as number
  const cy = c[1] as number
  const dx = d[0] as number
  const dy = d[1] as number
  // Most pairs end here: their boxes do not overlap.
  if (Math.max(ax, bx) < Math.min(cx, dx) || Math.min(ax, bx) > Math.max(cx, dx)) return null
  if (Math.max(ay, by) < Math.min(cy, dy) || Math.min(ay, by) > Math.max(cy, dy)) return null
  // The side of ab that c and d are on, and the side of cd that a and b are on. Above 0 is left.
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

/** Whether the edges ab and cd share a point. */
export const edgesMeet = (a: Position, b: Position, c: Position, d: Position): boolean => meet(a, b, c, d) !== null

const isWithin = ([x = 0, y = 0]: Position, [ax = 0, ay = 0]: Position, [bx = 0, by = 0]: Position): boolean =>
  x >= Math.min(ax, bx) && x <= Math.max(ax, bx) && y >= Math.min(ay, by) && y <= Math.max(ay, by)

/** About a millimeter. A position nearer to an edge than this touches it. */
const TOUCH_DEG = 1e-8

/** Where the edges ab and cd cross; null when they do not, or when an end of one touches the other. */
const cross = (a: Position, b: Position, c: Position, d: Position): Position | null => {
  const at = meet(a, b, c, d)
  if (at === null) return null
  const isClear = distanceToLine(c, a, b) > TOUCH_DEG && distanceToLine(d, a, b) > TOUCH_DEG
  return isClear && distanceToLine(a, c, d) > TOUCH_DEG && distanceToLine(b, c, d) > TOUCH_DEG ? at : null
}

const distanceToLine = ([x = 0, y = 0]: Position, [ax = 0, ay = 0]: Position, [bx = 0, by = 0]: Position): number =>
  Math.abs((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / Math.hypot(bx - ax, by - ay)

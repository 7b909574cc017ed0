import type { Position } from 'geojson'
import { listMeetings, type Meeting, TooDense } from '../../../core/geometry/ring-meetings'
import { RowFault } from '../rows/source-row'

/** A ring with more crossings is noise, not a boundary with a mistake. */
const MAX_CROSSINGS = 200
/** Rounding a crossing may create another one beside it, but not many times. */
const MAX_PASSES = 20

/**
 * Splits a closed ring into rings that neither cross nor touch themselves: cuts it wherever two of its edges meet. Returns the same ring
 * if it is simple (most are). Parts without area are dropped. One pass finds all crossings, and the ring is
 * cut at all of them together: O(n log n).
 *
 * @throws RowFault when it crosses itself in more than 200 places, or is too dense to check.
 */
export const toSimpleRings = (ring: Position[]): Position[][] => {
  const simple: Position[][] = []
  let places = 0
  let cut = [ring]
  for (let pass = 0; cut.length > 0; pass++) {
    if (pass === MAX_PASSES) throw tooManyCrossings()
    cut = cut.flatMap((current) => {
      const meetings = findMeetings(current)
      if (meetings.length === 0) {
        simple.push(current)
        return []
      }
      places += new Set(meetings.map(({ at }) => keyOf(at))).size
      if (places > MAX_CROSSINGS) throw tooManyCrossings()
      return cutLoops(withCorners(current, meetings))
    })
  }
  return simple
}

const tooManyCrossings = () => new RowFault(`it crosses itself more than ${MAX_CROSSINGS} times`)

/** Where two lines touch at a corner of both, four pairs of edges meet. */
const findMeetings = (ring: Position[]): Meeting[] => {
  try {
    return listMeetings(ring, 4 * MAX_CROSSINGS)
  } catch (error) {
    if (!(error instanceof TooDense)) throw error
    throw new RowFault(`it is not a boundary: ${error.message}`)
  }
}

/** Inserts a corner into both edges at each crossing. */
const withCorners = (ring: Position[], meetings: readonly Meeting[]): Position[] => {
  const corners = new Map<number, Position[]>()
  for (const { first, second, at } of meetings) {
    for (const edge of [first, second]) {
      const known = corners.get(edge)
      if (known === undefined) corners.set(edge, [at])
      else known.push(at)
    }
  }
  return ring.flatMap((position, edge) => {
    const [x = 0, y = 0] = position
    const distance = ([toX = 0, toY = 0]: Position) => (toX - x) ** 2 + (toY - y) ** 2
    return [position, ...(corners.get(edge) ?? []).sort((one, other) => distance(one) - distance(other))]
  })
}

/** Walks along a ring and cuts off a loop whenever it returns to an earlier position. */
const cutLoops = (ring: readonly Position[]): Position[][] => {
  const loops: Position[][] = []
  const path: Position[] = []
  const places = new Map<string, number>()
  for (const position of ring) {
    const key = keyOf(position)
    const place = places.get(key)
    if (place === undefined) {
      places.set(key, path.push(position) - 1)
      continue
    }
    const loop = [...path.slice(place), position]
    if (loop.length >= 4) loops.push(loop)
    for (const left of path.splice(place + 1)) places.delete(keyOf(left))
  }
  return loops
}

const keyOf = ([x, y]: Position): string => `${x},${y}`

/**
 * Whether `inner` is inside `outer`; they may touch but do not cross. The middle of an edge decides, because rings from one cut touch
 * at their corners.
 */
export const isInside = (inner: Position[], outer: Position[]): boolean => {
  const [[ax = 0, ay = 0] = [], [bx = 0, by = 0] = []] = inner
  const x = (ax + bx) / 2
  const y = (ay + by) / 2
  let inside = false
  for (let index = 0; index < outer.length - 1; index++) {
    const [cx = 0, cy = 0] = outer[index] as Position
    const [dx = 0, dy = 0] = outer[index + 1] as Position
    if (cy > y !== dy > y && x < cx + ((y - cy) / (dy - cy)) * (dx - cx)) inside = !inside
  }
  return inside
}

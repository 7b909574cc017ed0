import type { Position } from 'geojson'
import { findMeeting } from '../geometry/ring-meetings'
import { RowFault } from './source-row'

/** A ring with more crossings than this is noise, not a boundary with a slip in it. */
const MAX_SPLITS = 200

/**
 * A closed ring as rings that neither cross nor touch themselves: split wherever two of its edges meet. One ring, the same,
 * when it is simple (most are). What a split leaves without area is dropped.
 *
 * @throws RowFault when it meets itself more than 200 times.
 */
export const toSimpleRings = (ring: Position[]): Position[][] => {
  const simple: Position[][] = []
  const queue = [ring]
  let splits = 0
  for (let current = queue.pop(); current !== undefined; current = queue.pop()) {
    const meeting = findMeeting(current)
    if (meeting === null) {
      simple.push(current)
      continue
    }
    if (++splits > MAX_SPLITS) throw new RowFault(`it crosses itself more than ${MAX_SPLITS} times`)
    const { first, second, at } = meeting
    for (const part of [
      [at, ...current.slice(first + 1, second + 1), at],
      [...current.slice(0, first + 1), at, ...current.slice(second + 1)],
    ]) {
      const distinct = part.filter((position, index) => index === 0 || !isSame(position, part[index - 1] as Position))
      if (distinct.length >= 4) queue.push(distinct)
    }
  }
  return simple
}

const isSame = (a: Position, b: Position): boolean => a[0] === b[0] && a[1] === b[1]

/**
 * Whether `inner` lies inside `outer`; they may touch, and do not cross. Decided by the middle of an edge, since ends are
 * where rings of one split touch.
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

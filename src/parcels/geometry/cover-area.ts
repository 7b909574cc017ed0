import { yieldToOthers } from '../../../core/concurrency/yield-to-others'
import { type Bbox, squareDegrees } from '../../../core/geometry/bbox'
import type { PreparedArea } from './prepared-area'

/** Each box is one search of the index. */
const MAX_BOXES = 256
/** In degrees: about two kilometers. Smaller boxes have few parcels that are not in the area. */
const MIN_SIDE = 0.02
/** Boxes on the border may be this large, compared with those inside. Smaller ones would save less than their searches take. */
const MAX_BORDER = 0.5

/**
 * Boxes that together cover an area and little else: a corridor across a state, or two towns that are far apart, has a bounding box with
 * millions of other parcels. Halves the largest box on the border of the area, and drops a half that is outside, until there is little
 * border or there are `MAX_BOXES`.
 */
export const coverArea = async ({ bbox, judgeBox }: PreparedArea): Promise<Bbox[]> => {
  const settled: Bbox[] = []
  /** Boxes on the border that are large enough to be halved, the largest last. */
  const border: Bbox[] = []
  const add = (box: Bbox) => {
    const verdict = judgeBox(box)
    if (verdict === 'outside') return
    if (verdict === 'inside' || isSmall(box)) settled.push(box)
    else border.splice(border.findLastIndex((other) => squareDegrees([other]) <= squareDegrees([box])) + 1, 0, box)
  }
  add(bbox)
  while (settled.length + border.length < MAX_BOXES && squareDegrees(border) > MAX_BORDER * squareDegrees(settled)) {
    const largest = border.pop() as Bbox
    for (const half of halve(largest)) {
      await yieldToOthers()
      add(half)
    }
  }
  return [...settled, ...border]
}

const isSmall = ([west, south, east, north]: Bbox): boolean => Math.max(east - west, north - south) < MIN_SIDE

const halve = ([west, south, east, north]: Bbox): [Bbox, Bbox] => {
  const [x, y] = [(west + east) / 2, (south + north) / 2]
  return east - west > north - south
    ? [
        [west, south, x, north],
        [x, south, east, north],
      ]
    : [
        [west, south, east, y],
        [west, y, east, north],
      ]
}

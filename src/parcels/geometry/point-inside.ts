import type { Position } from 'geojson'
import { bboxOf } from '../../../core/geometry/bbox'

/** A point inside a polygon, not on its border: the middle of the widest piece of the line at half its height. */
export const pointInside = (rings: Position[][]): Position => {
  const [, south, , north] = bboxOf({ type: 'Polygon', coordinates: rings })
  const y = (south + north) / 2
  const crossings = rings
    .flatMap((ring) => ring.slice(1).map((to, index) => [ring[index] ?? [], to] as const))
    .filter(([[, y1 = 0], [, y2 = 0]]) => y1 > y !== y2 > y)
    .map(([[x1 = 0, y1 = 0], [x2 = 0, y2 = 0]]) => x1 + ((y - y1) / (y2 - y1)) * (x2 - x1))
    .sort((a, b) => a - b)
  let [west, east] = [0, 0]
  for (let index = 0; index + 1 < crossings.length; index += 2) {
    const [from = 0, to = 0] = [crossings[index], crossings[index + 1]]
    if (index === 0 || to - from > east - west) [west, east] = [from, to]
  }
  return [(west + east) / 2, y]
}

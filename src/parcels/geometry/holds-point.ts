import type { MultiPolygon, Position } from 'geojson'

/** Whether a point is in a multipolygon. The border counts; the inside of a hole does not. Exact in plane geometry. */
export const holdsPoint = ({ coordinates }: MultiPolygon, x: number, y: number): boolean =>
  coordinates.some((rings) => holds(rings, x, y))

/** Even-odd rule over all rings. An edge is crossed if the point is to the left of it, which the sign of a product shows. */
const holds = (rings: Position[][], x: number, y: number): boolean => {
  let inside = false
  for (const ring of rings) {
    for (let index = 1; index < ring.length; index++) {
      const [x1 = 0, y1 = 0] = ring[index - 1] ?? []
      const [x2 = 0, y2 = 0] = ring[index] ?? []
      if ((y1 > y && y2 > y) || (y1 < y && y2 < y) || (x1 < x && x2 < x)) continue
      const side = (x1 - x) * (y2 - y) - (x2 - x) * (y1 - y)
      if (side === 0 && x >= Math.min(x1, x2) && x <= Math.max(x1, x2)) return true
      if (y1 > y !== y2 > y && side > 0 === y2 > y1) inside = !inside
    }
  }
  return inside
}

import { expect, test } from 'bun:test'
import { booleanIntersects } from '@turf/boolean-intersects'
import fc from 'fast-check'
import type { MultiPolygon, Position } from 'geojson'
import type { Bbox } from '../../core/geometry/bbox'
import { polygonMeetsBox } from '../../src/parcels/geometry/polygon-meets-box'

const grid = fc.integer({ min: 0, max: 12 })
const boxes = fc
  .tuple(grid, grid, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }))
  .map(([x, y, w, h]) => [x, y, x + w, y + h] as Bbox)

/** Star-shaped rings on a whole-number grid: corners, edges and sides that touch are frequent. */
const stars = fc
  .tuple(grid, grid, fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 3, maxLength: 9 }))
  .map(([x, y, radii]) => {
    const ring: Position[] = radii.map((radius, index) => {
      const angle = (2 * Math.PI * index) / radii.length
      return [Math.round(x + radius * Math.cos(angle)), Math.round(y + radius * Math.sin(angle))]
    })
    return [...ring, ring[0] as Position]
  })
const area = (ring: Position[]) =>
  ring.reduce((sum, [x1 = 0, y1 = 0], index) => {
    const [x2 = 0, y2 = 0] = ring[(index + 1) % ring.length] ?? []
    return sum + (x1 * y2 - x2 * y1) / 2
  }, 0)

const toPolygon = ([west, south, east, north]: Bbox) => ({
  type: 'Polygon' as const,
  coordinates: [
    [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ],
  ],
})

test('a polygon and a box meet exactly when a general intersection test says so', () => {
  fc.assert(
    fc.property(
      fc.array(
        stars.filter((ring) => area(ring) > 0.5),
        { minLength: 1, maxLength: 3 },
      ),
      boxes,
      (rings, box) => {
        const parcel: MultiPolygon = { type: 'MultiPolygon', coordinates: rings.map((ring) => [ring]) }
        expect(polygonMeetsBox(parcel, box)).toBe(booleanIntersects(parcel, toPolygon(box)))
      },
    ),
    { numRuns: 3_000, seed: 5 },
  )
})

test('a box in a hole is outside; on the rim of the hole it touches', () => {
  const outer = toPolygon([0, 0, 10, 10]).coordinates[0] as Position[]
  const hole = (toPolygon([2, 2, 8, 8]).coordinates[0] as Position[]).toReversed()
  const parcel: MultiPolygon = { type: 'MultiPolygon', coordinates: [[outer, hole]] }
  expect(polygonMeetsBox(parcel, [3, 3, 7, 7])).toBe(false)
  expect(polygonMeetsBox(parcel, [3, 3, 8, 7])).toBe(true)
  expect(polygonMeetsBox(parcel, [0.5, 0.5, 1, 1])).toBe(true)
  expect(polygonMeetsBox(parcel, [-5, -5, 15, 15])).toBe(true)
})

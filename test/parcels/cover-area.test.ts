import { expect, test } from 'bun:test'
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import fc from 'fast-check'
import type { MultiPolygon, Position } from 'geojson'
import { bboxOf, squareDegrees } from '../../core/geometry/bbox'
import { coverArea } from '../../src/parcels/geometry/cover-area'
import { prepareArea } from '../../src/parcels/geometry/prepared-area'

const corner = fc.tuple(fc.double({ min: -125, max: -66, noNaN: true }), fc.double({ min: 24, max: 49, noNaN: true }))
/** Triangles anywhere in the United States, thin and small ones too. */
const areas: fc.Arbitrary<MultiPolygon> = fc
  .array(fc.tuple(corner, corner, fc.double({ min: 0.0001, max: 1, noNaN: true })), { minLength: 1, maxLength: 40 })
  .map((parts) => ({
    type: 'MultiPolygon',
    coordinates: parts.map(([[x, y], [toX, toY], size]) => {
      const [dx, dy] = [(toX - x) * size, (toY - y) * size]
      return [
        [
          [x, y],
          [x + dx, y + dy],
          [x - dy / 50, y + dx / 50],
          [x, y],
        ] as Position[],
      ]
    }),
  }))
const shares = fc.array(
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
  {
    minLength: 20,
    maxLength: 20,
  },
)

test('each point of an area is in one of at most 256 boxes', async () => {
  await fc.assert(
    fc.asyncProperty(areas, shares, async (area, points) => {
      const boxes = await coverArea(prepareArea(area))
      expect(boxes.length).toBeLessThanOrEqual(256)
      for (const [index, [s, t]] of points.entries()) {
        const [a = [], b = [], c = []] = area.coordinates[index % area.coordinates.length]?.[0] ?? []
        const [u, v] = s + t > 1 ? [1 - s, 1 - t] : [s, t]
        const [x = 0, y = 0] = [0, 1].map(
          (axis) => (a[axis] ?? 0) + u * ((b[axis] ?? 0) - (a[axis] ?? 0)) + v * ((c[axis] ?? 0) - (a[axis] ?? 0)),
        )
        // Rounding can put a point of a thin triangle beside it.
        if (!booleanPointInPolygon([x, y], area)) continue
        expect(boxes.some(([west, south, east, north]) => west <= x && x <= east && south <= y && y <= north)).toBe(
          true,
        )
      }
    }),
    { numRuns: 300 },
  )
})

const strip = (fromX: number, fromY: number, toX: number, toY: number): Position[][] => [
  [
    [fromX, fromY],
    [fromX + 0.001, fromY],
    [toX, toY],
    [fromX, fromY],
  ],
]

test.each([
  ['a corridor across a state', [strip(-124, 42, -117, 46)], 0.05],
  [
    'two streets at the two ends of the country',
    [strip(-122.6, 45.5, -122.59, 45.51), strip(-71, 42.3, -70.99, 42.31)],
    1e-4,
  ],
])('%s is covered by boxes that have little else', async (_, coordinates, share) => {
  const area: MultiPolygon = { type: 'MultiPolygon', coordinates }
  const boxes = await coverArea(prepareArea(area))
  expect(squareDegrees(boxes) / squareDegrees([bboxOf(area)])).toBeLessThan(share)
})

test('an area of a few streets is one search of the index', async () => {
  const area: MultiPolygon = { type: 'MultiPolygon', coordinates: [strip(-122.6, 45.5, -122.595, 45.505)] }
  expect(await coverArea(prepareArea(area))).toEqual([bboxOf(area)])
})

import { expect, test } from 'bun:test'
import { booleanIntersects } from '@turf/boolean-intersects'
import fc from 'fast-check'
import type { MultiPolygon, Position } from 'geojson'
import { polygonsMeet } from '../../src/parcels/geometry/polygons-meet'
import { prepareArea } from '../../src/parcels/geometry/prepared-area'
import { startProcessorClock } from '../support/processor-clock'

/**
 * A simple polygon around a center: one position for each angle, at different distances. Two of different turns do not touch in one point,
 * where rounding would decide whether they meet.
 */
const star = (turn: number) =>
  fc
    .record({
      x: fc.integer({ min: -20, max: 20 }),
      y: fc.integer({ min: -20, max: 20 }),
      radii: fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 3, maxLength: 12 }),
    })
    .map(({ x, y, radii }): MultiPolygon => {
      const ring = radii.map((radius, index): Position => {
        const angle = turn + (2 * Math.PI * index) / radii.length
        return [x + turn + radius * Math.cos(angle), y + radius * Math.sin(angle)]
      })
      return { type: 'MultiPolygon', coordinates: [[[...ring, ring[0] as Position]]] }
    })

const square = (west: number, south: number, size: number): Position[] => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
  [west, south],
]
const polygon = (...rings: Position[][]): MultiPolygon => ({ type: 'MultiPolygon', coordinates: [rings] })

test('polygons meet exactly when a general intersection test says so', () => {
  fc.assert(
    fc.property(star(0), star(0.137), (one, other) => {
      expect(polygonsMeet(one, other)).toBe(booleanIntersects(one, other))
    }),
    { numRuns: 300 },
  )
})

test('a polygon inside another meets it, in either order, and one inside a hole does not', () => {
  const small = polygon(square(4, 4, 1))
  expect(polygonsMeet(polygon(square(0, 0, 10)), small)).toBe(true)
  expect(polygonsMeet(small, polygon(square(0, 0, 10)))).toBe(true)
  const holed = polygon(square(0, 0, 10), square(3, 3, 4))
  expect(polygonsMeet(holed, small)).toBe(false)
  expect(polygonsMeet(small, holed)).toBe(false)
})

test('polygons that share only a corner or a part of an edge meet', () => {
  expect(polygonsMeet(polygon(square(0, 0, 1)), polygon(square(1, 1, 1)))).toBe(true)
  expect(polygonsMeet(polygon(square(0, 0, 1)), polygon(square(1, 0.5, 1)))).toBe(true)
  expect(polygonsMeet(polygon(square(0, 0, 1)), polygon(square(1.001, 0, 1)))).toBe(false)
})

test('boxes as high as an area of thousands of slices are judged quickly', () => {
  const slices = Array.from({ length: 2_000 }, (_, index): Position[] => {
    const west = -120 + index / 2_000
    return [
      [west, 44],
      [west + 0.0002, 44],
      [west + 0.0003, 44.0005],
      [west, 44.0005],
      [west, 44],
    ]
  })
  const area = prepareArea({ type: 'MultiPolygon', coordinates: slices.map((slice) => [slice]) })
  const processorMs = startProcessorClock()
  for (let index = 0; index < 1_000; index++) {
    const west = -120 + index / 1_000
    expect(area.judgeBox([west + 0.0001, 44, west + 0.0002, 44.0005])).toBe('edge')
    expect(area.judgeBox([west + 0.00035, 44, west + 0.0004, 44.0004])).toBe('outside')
  }
  // Reading each slice once for each band of latitude took 10 s.
  expect(processorMs()).toBeLessThan(3_000)
})

test('a parcel below thousands of slices of an area is compared quickly, and others have their turns meanwhile', async () => {
  const parcel = polygon(square(0, 0, 1))
  const slices = Array.from({ length: 1_989 }, (_, index): Position[] => {
    const west = (index + 0.25) / 1_989
    return [
      [west, -1],
      [west + 0.0002, -1],
      [west + 0.0002, 2],
      [west, 2],
      [west, -1],
    ]
  })
  const around = (size: number) => ({
    type: 'MultiPolygon' as const,
    coordinates: [[square(-2, -2, size)], ...slices.map((slice) => [slice])],
  })
  let turns = 0
  const count = setInterval(() => turns++, 0)
  const processorMs = startProcessorClock()
  expect(await prepareArea(around(5)).holds(parcel)).toBe(true)
  expect(await prepareArea(around(2.5)).holds(parcel)).toBe(false)
  expect(await prepareArea(around(5)).meets(parcel)).toBe(true)
  clearInterval(count)
  // Comparing each piece of an edge with all edges took 3 s, without a turn for anything else.
  expect(processorMs()).toBeLessThan(1_500)
  expect(turns).toBeGreaterThan(20)
})

import { expect, test } from 'bun:test'
import type { MultiPolygon, Position } from 'geojson'
import { distanceBetweenM, measureBoundary } from '../../src/parcels/geometry/distance-to-boundary'
import { polygonsMeet } from '../../src/parcels/geometry/polygons-meet'
import { prepareBorder } from '../../src/parcels/geometry/shared-border'
import { startProcessorClock } from '../support/processor-clock'

const CORNERS = 40_000
const DEGREES = 1e-5

/** A boundary with a wavy side of many corners, and its other side in the north or south. */
const wavy = (farLat: number, lat = 40): MultiPolygon => {
  const side = Array.from(
    { length: CORNERS },
    (_, index): Position => [-100 + index * DEGREES, lat + 3 * DEGREES * Math.sin(index / 3)],
  )
  const [first, last] = [side[0] as Position, side.at(-1) as Position]
  return { type: 'MultiPolygon', coordinates: [[[...side, [last[0] as number, farLat], [-100, farLat], first]]] }
}
const [lake, shore, apart] = [wavy(41), wavy(39), wavy(39, 40 - 10 * DEGREES)]

/** Processor time. Comparing each edge with every edge of the other boundary took 9 s in the first test, and 18 s in the second. */
const MOST_MS = 5_000

test('the common border of two boundaries is measured quickly, however many corners it has', () => {
  const processorMs = startProcessorClock()
  const sharedM = prepareBorder(lake)(shore)
  expect(processorMs()).toBeLessThan(MOST_MS)
  const [ring = []] = lake.coordinates[0] ?? []
  const meters = 111_195
  const lengths = ring.slice(1, CORNERS).map(([x = 0, y = 0], index) => {
    const [fromX = 0, fromY = 0] = ring[index] as Position
    return meters * Math.hypot((x - fromX) * Math.cos((40 * Math.PI) / 180), y - fromY)
  })
  expect(Math.abs(sharedM / lengths.reduce((sum, length) => sum + length, 0) - 1)).toBeLessThan(1e-3)
})

test('whether boundaries that nearly touch everywhere meet, and how far apart they are, is found quickly', () => {
  const processorMs = startProcessorClock()
  expect([polygonsMeet(lake, shore), polygonsMeet(lake, wavy(39, 40 - DEGREES / 100))]).toEqual([true, false])
  // The middle lines are 11.1 m apart. Both waves have their crests in the same places, and their sides are nearer.
  const distanceM = distanceBetweenM(measureBoundary(lake), measureBoundary(apart))
  expect(distanceM).toBeGreaterThan(4)
  expect(distanceM).toBeLessThan(11.2)
  expect(processorMs()).toBeLessThan(MOST_MS)
})

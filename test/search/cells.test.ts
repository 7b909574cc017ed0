import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { cellsAround, cellsOf } from '../../search/index/cells'
import { distanceKm } from '../../search/rank/distance-km'

const places = fc.record({
  lat: fc.double({ min: -89, max: 89, noNaN: true }),
  lon: fc.double({ min: -180, max: 179.999, noNaN: true }),
})

test('every place within the radius is in one of the cells around, even across the antimeridian', () => {
  fc.assert(
    fc.property(
      places,
      fc.double({ min: 0.01, max: 2_000, noNaN: true }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.double({ min: 0, max: 2 * Math.PI, noNaN: true }),
      (place, radiusKm, share, bearing) => {
        const cells = cellsAround(place, radiusKm)
        const reach = ((radiusKm * share) / 6371.0088) as number
        const lat1 = (place.lat * Math.PI) / 180
        const lat2 = Math.asin(Math.sin(lat1) * Math.cos(reach) + Math.cos(lat1) * Math.sin(reach) * Math.cos(bearing))
        const turn = Math.atan2(
          Math.sin(bearing) * Math.sin(reach) * Math.cos(lat1),
          Math.cos(reach) - Math.sin(lat1) * Math.sin(lat2),
        )
        const lon = ((((place.lon + (turn * 180) / Math.PI + 180) % 360) + 360) % 360) - 180
        const other = { lat: (lat2 * 180) / Math.PI, lon }
        fc.pre(distanceKm(place, other) <= radiusKm)
        if (cells !== null) expect(cellsOf(other).some((cell) => cells.includes(cell))).toBe(true)
      },
    ),
    { numRuns: 5_000, seed: 2 },
  )
})

test('a radius needs few cells, and one around the whole Earth returns null', () => {
  for (const radiusKm of [0.1, 1, 10, 50, 300]) {
    expect(cellsAround({ lat: 44, lon: -120 }, radiusKm)?.length).toBeWithin(1, 65)
  }
  expect(cellsAround({ lat: 44, lon: -120 }, 20_000)).toBeNull()
})

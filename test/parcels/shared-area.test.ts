import { describe, expect, test } from 'bun:test'
import { intersect } from '@turf/intersect'
import fc from 'fast-check'
import type { Feature, MultiPolygon, Position } from 'geojson'
import { signedArea } from '../../src/ingest/boundaries/geometry'
import { measureSharedArea } from '../../src/parcels/geometry/shared-area'

const multi = (...polygons: Position[][][]): MultiPolygon => ({ type: 'MultiPolygon', coordinates: polygons })
const rectangle = (west: number, south: number, east: number, north: number): Position[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]
const hole = (...corners: Parameters<typeof rectangle>): Position[] => rectangle(...corners).reverse()

describe('the area that two boundaries share', () => {
  const unit = multi([rectangle(0, 0, 1, 1)])
  const cases: [name: string, MultiPolygon, MultiPolygon, first: number, second: number, shared: number][] = [
    ['the same', unit, unit, 1, 1, 1],
    ['a part', unit, multi([rectangle(0.25, 0.25, 0.75, 0.5)]), 1, 0.125, 0.125],
    ['beside each other', unit, multi([rectangle(1, 0, 2, 1)]), 1, 1, 0],
    ['one above the other', unit, multi([rectangle(0, 1, 1, 2)]), 1, 1, 0],
    ['far apart', unit, multi([rectangle(5, 5, 6, 6)]), 1, 1, 0],
    ['a corner', unit, multi([rectangle(0.5, 0.5, 2, 2)]), 1, 2.25, 0.25],
    ['inside a hole', multi([rectangle(0, 0, 3, 3), hole(1, 1, 2, 2)]), multi([rectangle(1, 1, 2, 2)]), 8, 1, 0],
    ['over a hole', multi([rectangle(0, 0, 3, 3), hole(1, 1, 2, 2)]), multi([rectangle(0, 0, 3, 1.5)]), 8, 4.5, 4],
    [
      'several parts',
      multi([rectangle(0, 0, 1, 1)], [rectangle(2, 0, 3, 1)]),
      multi([rectangle(0.5, 0, 2.5, 1)]),
      2,
      2,
      1,
    ],
    [
      'slanted edges that cross',
      multi([
        [
          [0, 0],
          [2, 0],
          [2, 2],
          [0, 0],
        ],
      ]),
      multi([
        [
          [0, 0],
          [2, 0],
          [0, 2],
          [0, 0],
        ],
      ]),
      2,
      2,
      1,
    ],
    ['none', multi(), unit, 0, 1, 0],
  ]
  test.each(cases)('%s', (_, one, other, first, second, shared) => {
    const measured = measureSharedArea(one, other)
    expect(measured.first).toBeCloseTo(first, 12)
    expect(measured.second).toBeCloseTo(second, 12)
    expect(measured.shared).toBeCloseTo(shared, 12)
  })
})

/** A star-shaped ring of a parcel's size, with its points at random distances around its center. */
const parcel = fc
  .record({
    lon: fc.integer({ min: 0, max: 20 }),
    lat: fc.integer({ min: 0, max: 20 }),
    distances: fc.array(fc.integer({ min: 3, max: 12 }), { minLength: 3, maxLength: 24 }),
  })
  .map(({ lon, lat, distances }) => {
    const ring = distances.map((distance, index): Position => {
      const angle = (2 * Math.PI * index) / distances.length
      return [-122.9 + (lon + distance * Math.cos(angle)) * 1e-5, 45.5 + (lat + distance * Math.sin(angle)) * 1e-5]
    })
    return multi([[...ring, ring[0] as Position]])
  })

const areaOf = ({ coordinates }: MultiPolygon): number =>
  coordinates.reduce((sum, rings) => sum + rings.reduce((inner, ring) => inner + signedArea(ring) / 2, 0), 0)

test('for random parcels it is the area of the intersection that Turf builds', () => {
  const toFeature = (geometry: MultiPolygon): Feature<MultiPolygon> => ({ type: 'Feature', geometry, properties: {} })
  fc.assert(
    fc.property(parcel, parcel, (one, other) => {
      const built = intersect({ type: 'FeatureCollection', features: [toFeature(one), toFeature(other)] })?.geometry
      const polygons = built === undefined ? [] : built.type === 'Polygon' ? [built.coordinates] : built.coordinates
      const { first, second, shared } = measureSharedArea(one, other)
      // A millionth of a parcel.
      const close = 1e-16
      expect(Math.abs(shared - areaOf(multi(...polygons)))).toBeLessThan(close)
      expect(Math.abs(first - areaOf(one))).toBeLessThan(close)
      expect(Math.abs(second - areaOf(other))).toBeLessThan(close)
    }),
    { numRuns: 300 },
  )
})

import { expect, test } from 'bun:test'
import { placeStreetNames, streetOf } from '../../../src/web/app/pages/map/base-map/street-names'

test.each([
  ['2983 W 40TH ST', 'W 40TH ST'],
  ['12 1/2 ALDER AVE APT 4', 'ALDER AVE'],
  ['14B OAK LN #2', 'OAK LN'],
  ['77 CENTRAL PARK W, UNIT 3', 'CENTRAL PARK W'],
  ['OAK LN', null],
  ['12', null],
])('the street of %s is %s', (address, street) => {
  expect(streetOf(address)).toBe(street)
})

/** Lots on both sides of a street that runs through 0.001, 0.001. One side has one lot fewer, as on many streets. */
const lotsAlong = (east: number, north: number) =>
  [-1, 0, 1]
    .flatMap((step) =>
      [-1, 1].map((side) => ({
        address: `${104 + 4 * step + (side + 1) / 2} ELM ST`,
        lon: 0.001 + (step * east - side * north * 0.6) * 0.0003,
        lat: 0.001 + (step * north + side * east * 0.6) * 0.0003,
      })),
    )
    .slice(1)

test('the name of a street is written between its lots, along them, even if one side has fewer', () => {
  for (const [east, north, angle] of [
    [1, 0, 0],
    [1, 1, -45],
    [1, -1, 45],
  ] as const) {
    const [label, ...others] = placeStreetNames(lotsAlong(east, north))
    expect(others).toEqual([])
    expect(label?.properties.name).toBe('ELM ST')
    expect(label?.properties.angle).toBeCloseTo(angle, 1)
    // The distance from the middle of the street.
    const [lon = 0, lat = 0] = label?.geometry.coordinates ?? []
    expect((lon - 0.001) * north - (lat - 0.001) * east).toBeCloseTo(0, 8)
  }
})

test('lots on one side do not show where a street is, and a square of lots does not show its direction', () => {
  const oneSide = lotsAlong(1, 0).filter(({ address }) => Number.parseInt(address, 10) % 2 === 0)
  expect(placeStreetNames(oneSide)).toEqual([])
  const square = [0, 1].flatMap((x) =>
    [0, 1].map((y) => ({ address: `${100 + 2 * x + y * 4} ELM ST`, lon: x, lat: y })),
  )
  expect(placeStreetNames([...square, ...square.map((lot) => ({ ...lot, address: `1${lot.address}` }))])).toEqual([])
})

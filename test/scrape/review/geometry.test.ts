import { expect, test } from 'bun:test'
import type { Position } from 'geojson'
import { findBy, severitiesBy } from './review-input'

test('missing-geometry: a parcel without a boundary is a finding', () => {
  expect(findBy('missing-geometry', { parcel: { geom: null } })).toEqual([
    { subject: '', severity: 'low', evidence: { geom_geojson: null, land_use_class: 'RESIDENTIAL' } },
  ])
})

test('missing-geometry: property without its own land needs no boundary', () => {
  for (const landUseClass of ['CONDO UNIT', 'Manufactured home in park', 'MINERAL RIGHTS', 'TIMESHARE']) {
    expect(severitiesBy('missing-geometry', { parcel: { geom: null, landUseClass } }), landUseClass).toEqual([])
  }
})

const crossings = (...rings: Position[][]) =>
  findBy('self-intersection', { parcel: { acreage: null, geom: { type: 'MultiPolygon', coordinates: [rings] } } })

const at = (x: number, y: number): Position => [-120 + x / 1000, 43 + y / 1000]

test('self-intersection: a ring that crosses itself is a finding, with the place', () => {
  const [found] = crossings([at(0, 0), at(1, 1), at(1, 0), at(0, 1), at(0, 0)])
  expect(found).toMatchObject({ subject: '0/0', severity: 'medium', evidence: { polygon: 0, ring: 0 } })
  expect(found?.evidence.lon).toBeCloseTo(-119.9995, 9)
  expect(found?.evidence.lat).toBeCloseTo(43.0005, 9)
})

test('self-intersection: the finding names the ring', () => {
  const square = [at(0, 0), at(9, 0), at(9, 9), at(0, 9), at(0, 0)]
  const bow = [at(1, 1), at(2, 2), at(2, 1), at(1, 2), at(1, 1)]
  expect(crossings(square, bow).map(({ subject }) => subject)).toEqual(['0/1'])
})

test('self-intersection: lots that meet in a corner, and an end that rounding moved across an edge, are not findings', () => {
  const corner = [at(0, 0), at(1, 0), at(1, 1), at(2, 1), at(2, 2), at(1, 2), at(1, 1), at(0, 1), at(0, 0)]
  expect(crossings(corner)).toEqual([])
  const nudged = [at(0, 0), at(2, 0), at(2, 2), at(1, -0.0000001), at(0, 2), at(0, 0)]
  expect(crossings(nudged)).toEqual([])
})

test('self-intersection: a crossing among hundreds of edges is found', () => {
  const circle = Array.from({ length: 300 }, (_, index) =>
    at(Math.cos((index * Math.PI) / 150), Math.sin((index * Math.PI) / 150)),
  )
  const closed = [...circle, circle[0] as Position]
  expect(crossings(closed)).toEqual([])
  const swapped = closed.with(100, closed[103] as Position).with(103, closed[100] as Position)
  expect(crossings(swapped)).toHaveLength(1)
})

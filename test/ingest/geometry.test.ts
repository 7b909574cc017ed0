import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Position } from 'geojson'
import { signedArea, toMultiPolygon } from '../../src/ingest/boundaries/geometry'
import { toSimpleRings } from '../../src/ingest/boundaries/simple-rings'
import { RowFault } from '../../src/ingest/rows/source-row'
import { startProcessorClock } from '../support/processor-clock'

const square: Position[] = [
  [-71.1, 42.3],
  [-71, 42.3],
  [-71, 42.4],
  [-71.1, 42.4],
  [-71.1, 42.3],
]
const hole: Position[] = [
  [-71.08, 42.32],
  [-71.02, 42.32],
  [-71.02, 42.38],
  [-71.08, 42.38],
  [-71.08, 42.32],
]
const polygon = (...rings: unknown[]) => ({ type: 'Polygon', coordinates: rings })

test('a Polygon becomes a MultiPolygon with its box; holes become clockwise', () => {
  expect(toMultiPolygon(polygon(square, hole))).toEqual({
    geom: { type: 'MultiPolygon', coordinates: [[square, hole.toReversed()]] },
    bbox: [-71.1, 42.3, -71, 42.4],
    isRepaired: false,
  })
})

test('an open ring is closed, a clockwise one is reversed, and heights are dropped', () => {
  const open = square.slice(0, -1).map((position) => [...position, 12.5])
  expect(toMultiPolygon(polygon(open.toReversed()))?.geom.coordinates[0]?.[0]).toHaveLength(5)
  const ring = toMultiPolygon(polygon(open.toReversed()))?.geom.coordinates[0]?.[0] ?? []
  expect(signedArea(ring)).toBeGreaterThan(0)
  expect(ring.every((position) => position.length === 2)).toBe(true)
})

/** A star-shaped ring around a center, which never crosses itself. */
const ring = fc
  .record({
    lon: fc.double({ min: -170, max: 50, noNaN: true }),
    lat: fc.double({ min: -50, max: 80, noNaN: true }),
    radii: fc.array(fc.double({ min: 0.001, max: 5, noNaN: true }), { minLength: 3, maxLength: 40 }),
    clockwise: fc.boolean(),
    closed: fc.boolean(),
  })
  .map(({ lon, lat, radii, clockwise, closed }) => {
    const positions: Position[] = radii.map((radius, index) => {
      const angle = (2 * Math.PI * index) / radii.length
      return [lon + radius * Math.cos(angle), lat + radius * Math.sin(angle)]
    })
    if (clockwise) positions.reverse()
    return closed ? [...positions, positions[0] as Position] : positions
  })

test('any ring becomes closed and counterclockwise with the same positions and area, and converting it again changes nothing', () => {
  fc.assert(
    fc.property(ring, (positions) => {
      const once = toMultiPolygon(polygon(structuredClone(positions)))
      const out = once?.geom.coordinates[0]?.[0] ?? []
      expect(out[0]).toEqual(out.at(-1) as Position)
      expect(signedArea(out)).toBeGreaterThan(0)
      const closed = [...positions, positions[0] as Position]
      expect(signedArea(out)).toBeCloseTo(Math.abs(signedArea(closed)), 8)
      expect(new Set(out.map(String))).toEqual(new Set(positions.map(String)))
      expect(toMultiPolygon(structuredClone(once?.geom))).toEqual(once)
      const lons = positions.map(([lon = 0]) => lon)
      const lats = positions.map(([, lat = 0]) => lat)
      expect(once?.bbox).toEqual([Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)])
    }),
  )
})

// The two halves of the second one are equal, so that their signed areas have a sum of 0.
test.each([3, 4])('a ring that crosses itself is split at the crossing, and encloses the same area: %d', (height) => {
  const bowTie = [
    [0, 0],
    [4, 4],
    [4, 0],
    [0, height],
    [0, 0],
  ]
  const mended = toMultiPolygon(polygon(bowTie))
  expect(mended?.isRepaired).toBe(true)
  expect(mended?.geom.coordinates).toHaveLength(2)
  for (const [outer = []] of mended?.geom.coordinates ?? []) {
    expect(signedArea(outer)).toBeGreaterThan(0)
    expect(toSimpleRings(outer)).toEqual([outer])
  }
})

test('a crossing is stored with 9 decimals, so that loading the repaired boundary again changes nothing', () => {
  const bowTie = [
    [-120, 45],
    [-119.9, 45.07],
    [-119.9, 45],
    [-120, 45.1],
    [-120, 45],
  ]
  const repaired = toMultiPolygon(polygon(bowTie))?.geom
  const crossings = repaired?.coordinates.flat(2).filter(([lon]) => lon !== -120 && lon !== -119.9) ?? []
  expect(crossings).toContainEqual([-119.941176471, 45.041176471])
  expect(new Set(crossings.map(String)).size).toBe(1)
  expect(toMultiPolygon(repaired)).toMatchObject({ geom: repaired, isRepaired: false })
})

test('a ring that touches itself becomes a ring with a hole, or two polygons', () => {
  const inwards = [
    [0, 0],
    [4, 0],
    [4, 4],
    [0, 4],
    [0, 0],
    [1, 2],
    [2, 2],
    [2, 1],
    [0, 0],
  ]
  expect(toMultiPolygon(polygon(inwards))?.geom.coordinates.map((rings) => rings.length)).toEqual([2])
  const eight = [
    [0, 0],
    [2, 0],
    [2, 2],
    [0, 2],
    [0, 0],
    [-2, 0],
    [-2, -2],
    [0, -2],
    [0, 0],
  ]
  expect(toMultiPolygon(polygon(eight))?.geom.coordinates.map((rings) => rings.length)).toEqual([1, 1])
})

test('a spike, a hole without area and a part without area are dropped', () => {
  const spike = [
    [0, 0],
    [2, 0],
    [2, 1],
    [5, 1],
    [2, 1],
    [2, 2],
    [0, 2],
    [0, 0],
  ]
  expect(toMultiPolygon(polygon(spike))?.bbox).toEqual([0, 0, 2, 2])
  expect(toMultiPolygon(polygon(square, [[-71.05, 42.35]]))).toMatchObject({
    isRepaired: true,
    geom: { coordinates: [[square]] },
  })
  expect(toMultiPolygon({ type: 'MultiPolygon', coordinates: [[[[1, 1]]], [square]] })).toMatchObject({
    isRepaired: true,
    geom: { coordinates: [[square]] },
  })
})

test('self-crossing rings become simple rings or are refused', () => {
  const scribble = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 })), {
    minLength: 3,
    maxLength: 9,
  })
  fc.assert(
    fc.property(scribble, (positions) => {
      let out: ReturnType<typeof toMultiPolygon> = null
      try {
        out = toMultiPolygon(polygon(positions))
      } catch (error) {
        expect(error).toBeInstanceOf(RowFault)
      }
      for (const rings of out?.geom.coordinates ?? []) {
        for (const [index, ring] of rings.entries()) {
          expect(signedArea(ring) > 0).toBe(index === 0)
          expect(toSimpleRings(ring)).toEqual([ring])
        }
      }
    }),
    { numRuns: 500 },
  )
})

test('the slivers between two roundings of one crossing are dropped', () => {
  const crossing = [
    [1, 12],
    [34, 3],
    [3, 34],
    [33, 4],
    [4, 15],
    [35, 38],
    [35, 5],
  ]
  for (const [ring = []] of toMultiPolygon(polygon(crossing))?.geom.coordinates ?? []) {
    expect(signedArea(ring)).toBeGreaterThan(1)
    expect(toSimpleRings(ring)).toEqual([ring])
  }
})

test('a vertex that is repeated in a row is dropped, which is not a repair', () => {
  const repeated = square.flatMap((position) => [position, [...position]])
  expect(toMultiPolygon(polygon(repeated, hole.toReversed()))).toEqual({
    geom: { type: 'MultiPolygon', coordinates: [[square, hole.toReversed()]] },
    bbox: [-71.1, 42.3, -71, 42.4],
    isRepaired: false,
  })
})

test('repeating vertices of any ring changes nothing', () => {
  fc.assert(
    fc.property(ring, fc.array(fc.nat({ max: 39 }), { maxLength: 10 }), (positions, repeats) => {
      const once = toMultiPolygon(polygon(structuredClone(positions)))
      const twice = positions.flatMap((position, index) =>
        repeats.includes(index) ? [position, position] : [position],
      )
      expect(toMultiPolygon(polygon(structuredClone(twice)))).toEqual(once)
    }),
  )
})

test('a GeometryCollection is its polygons, at any of 8 levels', () => {
  const inner = {
    type: 'GeometryCollection',
    geometries: [{ type: 'MultiPolygon', coordinates: [[hole.toReversed()]] }],
  }
  const geometries = [{ type: 'Point', coordinates: [1, 2] }, polygon(square), inner]
  expect(toMultiPolygon({ type: 'GeometryCollection', geometries })?.geom.coordinates).toEqual([
    [square],
    [expect.arrayContaining(hole)],
  ])
  expect(toMultiPolygon({ type: 'GeometryCollection', geometries: [] })).toBeNull()
})

test('a missing geometry is null', () => {
  expect(toMultiPolygon(null)).toBeNull()
  expect(toMultiPolygon(undefined)).toBeNull()
  expect(toMultiPolygon({ type: 'MultiPolygon', coordinates: [] })).toBeNull()
})

test.each([
  [
    { type: 'LineString', coordinates: [[1, 2]] },
    'its geometry is a LineString: a parcel is a Polygon, a MultiPolygon or a Point',
  ],
  [
    { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }] },
    'its GeometryCollection has no Polygon',
  ],
  [{ type: 'GeometryCollection' }, 'its GeometryCollection has no geometries'],
  [
    Array.from({ length: 100 }).reduce(
      (geometry) => ({ type: 'GeometryCollection', geometries: [geometry] }),
      polygon(square),
    ),
    'its GeometryCollection is nested more than 8 levels deep',
  ],
  [{ type: 'Polygon' }, 'its Polygon has no coordinates'],
  [
    polygon([
      [0, 0],
      [1, 1],
      [0, 0],
    ]),
    'outer ring: 3 positions, but a closed ring needs at least 4',
  ],
  [polygon([]), 'outer ring: 0 positions, but a closed ring needs at least 4'],
  [
    polygon([
      [0, 0],
      [1, 1],
      [2, 2],
      [0, 0],
    ]),
    'outer ring: it encloses no area',
  ],
  [
    polygon([
      [0, 0],
      [2, 2],
      [1, 1],
      [2, 2],
      [0, 0],
    ]),
    'outer ring: it encloses no area',
  ],
  [
    polygon(square, [
      [0, 0],
      [1, null],
      [1, 1],
      [0, 0],
    ]),
    'hole 1, position 2: [1,null] is not a pair of numbers',
  ],
  [
    polygon([
      ['0', '0'],
      [1, 0],
      [1, 1],
    ]),
    'outer ring, position 1: ["0","0"] is not a pair of numbers',
  ],
  [
    { type: 'MultiPolygon', coordinates: [[square], [[[0, 0], [1], [1, 1]]]] },
    'polygon 2, outer ring, position 2: [1] is not a position',
  ],
  // A TopoJSON whose arcs lack a position.
  [{ type: 'Polygon', coordinates: [[[0, 0], undefined, [1, 1]]] }, 'outer ring, position 2: it is missing'],
  [{ type: 'MultiPolygon', coordinates: [[square], []] }, 'polygon 2, has no rings'],
  [
    polygon([
      [7622000, 680000],
      [7622001, 680000],
      [7622001, 680001],
    ]),
    'outer ring, position 1: [7622000, 680000] is not a longitude and latitude in degrees: name the coordinate system with --crs EPSG:CODE',
  ],
  [
    polygon(square.map(([lon, lat]) => [lat, lon])),
    'outer ring: latitude -71.1 is in Antarctica: longitude comes first, are the axes swapped?',
  ],
  [
    polygon([
      [179.999, 52],
      [-179.999, 52],
      [-179.999, 52.001],
      [179.999, 52.001],
    ]),
    'outer ring: an edge of more than 180 degrees of longitude: cut it at the antimeridian into a MultiPolygon',
  ],
  [
    polygon([
      [-179.999, 52],
      [0, 52.001],
      [179.999, 52.001],
    ]),
    'outer ring: an edge of more than 180 degrees of longitude',
  ],
  [
    polygon([
      [45.5, -122.9],
      [45.6, -122.9],
      [45.6, -122.8],
    ]),
    'outer ring, position 1: latitude -122.9 is outside -90..90: longitude comes first, are the axes swapped?',
  ],
])('a broken geometry is refused with the reason (%#)', (geometry, reason) => {
  expect(() => toMultiPolygon(geometry)).toThrow(reason)
})

const closed = (positions: Position[]): Position[] => [...positions, positions[0] as Position]

/** Long teeth side by side: it does not cross itself, but the boxes of its edges overlap. */
const comb = (teeth: number): Position[] =>
  closed([
    ...Array.from({ length: teeth }, (_, index): Position => {
      const isTip = index % 2 === 1 ? 0.5 : 0
      return [-90 + index / teeth / 100 + isTip, 40 + isTip]
    }),
    [-89, 39.5],
    [-90, 39.5],
  ])

test('a ring of 49,000 positions is checked quickly, and an artificial one is refused as quickly', () => {
  const circle = closed(
    Array.from({ length: 49_000 }, (_, index): Position => {
      const angle = (2 * Math.PI * index) / 49_000
      return [-90 + Math.cos(angle) / 10, 40 + Math.sin(angle) / 10]
    }),
  )
  const processorMs = startProcessorClock()
  expect(toMultiPolygon(polygon(circle))?.isRepaired).toBe(false)
  // Comparing every pair of edges took 40 s.
  expect(() => toMultiPolygon(polygon(comb(49_000)))).toThrow(
    /it is not a boundary: each edge has more than \d+ others in its box/,
  )
  expect(processorMs()).toBeLessThan(5_000)
  expect(toMultiPolygon(polygon(comb(500)))?.isRepaired).toBe(false)
})

test('a ring that goes around the same place thousands of times is refused quickly', () => {
  const corners: Position[] = [
    [-90, 40],
    [-89, 40],
    [-89, 41],
  ]
  const rounds = closed(Array.from({ length: 30_000 }, (_, index) => corners[index % 3] as Position))
  const processorMs = startProcessorClock()
  // Comparing every pair of loops took 10 s.
  const problem = 'it crosses or touches itself in too many places'
  expect(() => toMultiPolygon(polygon(rounds), { isArea: true })).toThrow(problem)
  expect(processorMs()).toBeLessThan(2_000)
  expect(() => toMultiPolygon(polygon(rounds))).toThrow(problem)
})

test('a right of way that touches itself, with 1,600 blocks as its holes, is read', () => {
  const side = 40
  const square = (x: number, y: number, size: number): Position[] =>
    closed([
      [x, y],
      [x + size, y],
      [x + size, y + size],
      [x, y + size],
    ])
  const blocks = Array.from({ length: side * side }, (_, index) =>
    square(-90 + (index % side) * 0.01 + 0.002, 40 + Math.floor(index / side) * 0.01 + 0.002, 0.005).toReversed(),
  )
  // Its outer ring touches itself at a corner.
  const outer = closed([
    [-90, 40],
    [-90 + side * 0.01, 40],
    [-90 + side * 0.01, 40 + side * 0.01],
    [-90, 40 + side * 0.01],
    [-90, 40],
    [-90.01, 40],
    [-90.01, 39.99],
  ])
  const read = toMultiPolygon({ type: 'Polygon', coordinates: [outer, ...blocks] })
  expect(read?.geom.coordinates.map((rings) => rings.length).toSorted((a, b) => b - a)).toEqual([1 + side * side, 1])
})

test('a hundred crossings of a ring of 40,000 positions are repaired together', () => {
  const positions = Array.from({ length: 40_000 }, (_, index): Position => {
    const angle = (2 * Math.PI * index) / 40_000
    return [-90 + Math.cos(angle) / 10, 40 + Math.sin(angle) / 10]
  })
  for (let slip = 0; slip < 100; slip++) {
    const at = slip * 400
    const [one, other] = [positions[at], positions[at + 1]] as [Position, Position]
    positions[at] = other
    positions[at + 1] = one
  }
  const processorMs = startProcessorClock()
  const mended = toMultiPolygon(polygon(closed(positions)))
  expect(processorMs()).toBeLessThan(5_000)
  expect(mended?.isRepaired).toBe(true)
  const outer = mended?.geom.coordinates[0]?.[0] ?? []
  expect(toSimpleRings(outer)).toEqual([outer])
})

test.each([
  ['a ring has 50001 positions, more than 50000', polygon(Array(50_001).fill([0, 0]))],
  [
    'it has more than 100000 positions',
    { type: 'MultiPolygon', coordinates: Array(3).fill([Array(40_000).fill([0, 0])]) },
  ],
  ['it has more than 2000 rings', polygon(...Array(2_001).fill(square))],
])('a boundary beyond its bounds is refused: %s', (reason, geometry) => {
  expect(() => toMultiPolygon(geometry)).toThrow(new RowFault(reason))
})

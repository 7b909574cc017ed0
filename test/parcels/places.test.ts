import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { MultiPolygon, Position } from 'geojson'
import { type Bbox, bboxOf } from '../../core/geometry/bbox'
import { createRandom } from '../../core/seeded-random'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { innerBox } from '../../drizzle/queries/parcels/parcel-filter'
import { polygonMeetsBox } from '../../src/parcels/geometry/polygon-meets-box'
import { createTestDatabase } from '../support/servers'
import { askService, askTurf, drawQuestion, type PlaceQuestion, readKnownParcels } from './brute-force'

const { sql } = await createTestDatabase()
await seedSampleCounty(sql, { parcels: 1_000, entities: 0, onProgress: () => {} })
const parcels = await readKnownParcels(sql)
const bounds = parcels.reduce<Bbox>(
  ([west, south, east, north], { bbox: [w, s, e, n] }) => [
    Math.min(west, w),
    Math.min(south, s),
    Math.max(east, e),
    Math.max(north, n),
  ],
  [180, 90, -180, -90],
)

const withKind = (kind: PlaceQuestion['kind'], count: number, sizeM = 400): PlaceQuestion[] => {
  const random = createRandom(7)
  const questions: PlaceQuestion[] = []
  while (questions.length < count) {
    const question = drawQuestion(random, bounds, sizeM)
    if (question.kind === kind) questions.push(question)
  }
  return questions
}

test.each(['at', 'near', 'area'] as const)(
  '%s: the sample county has the same answers as a comparison of every parcel by Turf',
  async (kind) => {
    let found = 0
    for (const question of withKind(kind, kind === 'at' ? 200 : 60)) {
      const expected = askTurf(parcels, question)
      const answer = await askService(sql, question)
      // Lots that are stacked are in the order of their area.
      if (kind === 'at') answer.sort()
      expect(answer).toEqual(expected)
      found += answer.length
    }
    expect(found).toBeGreaterThan(20)
  },
)

test('areas that are covered by many boxes have the same answers, too', async () => {
  let found = 0
  for (const question of withKind('area', 20, 8_000)) {
    const answer = await askService(sql, question)
    expect(answer).toEqual(askTurf(parcels, question))
    found += answer.length
  }
  expect(found).toBeGreaterThan(500)
})

/** Triangles on a small grid, so that sides and corners on the box are frequent, and parts that are far apart. */
const corner = fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 12 }))
const boundaries: fc.Arbitrary<MultiPolygon> = fc
  .array(fc.tuple(corner, corner, corner), { minLength: 1, maxLength: 3 })
  .map((parts) => ({ type: 'MultiPolygon', coordinates: parts.map(([a, b, c]) => [[a, b, c, a] as Position[]]) }))
const boxes = fc
  .tuple(corner, corner)
  .map(([[x1, y1], [x2, y2]]): Bbox => [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)])

test('if the bounding box of a parcel proves that it meets a box, its boundary does meet the box', async () => {
  const cases = fc.sample(fc.tuple(boundaries, boxes), { numRuns: 5_000, seed: 11 })
  const places = cases.map(([boundary, [west, south, east, north]]) => {
    const [w, s, e, n] = bboxOf(boundary)
    return { w, s, e, n, west, south, east, north }
  })
  const rows = await sql<{ settled: boolean; inside: boolean }[]>`
    select surely_meets(box(point(e, n), point(w, s)), west, south, east, north) as settled,
      w >= west and s >= south and e <= east and n <= north as inside
    from rows from (json_to_recordset(${JSON.stringify(places)}::text::json)
      as (w float8, s float8, e float8, n float8, west float8, south float8, east float8, north float8)) with ordinality
    order by ordinality`
  const settled = cases.filter((_, index) => rows[index]?.settled)
  for (const [boundary, box] of settled)
    expect([boundary, box, polygonMeetsBox(boundary, box)]).toEqual([boundary, box, true])
  // More than those inside the box, which need no proof.
  const inside = rows.filter((row) => row.inside)
  expect(inside.every((row) => row.settled)).toBe(true)
  expect(settled.length).toBeGreaterThan(inside.length * 1.5)
})

test("what PostgreSQL's comparison with a tolerance finds in the inner box is in the box, however small both are", async () => {
  // Half of the tolerance.
  const step = 5e-7
  const boxOf = (most: number) => {
    const start = fc.integer({ min: 0, max: 24 })
    const extent = fc.integer({ min: 0, max: most })
    return fc
      .tuple(start, start, extent, extent)
      .map(
        ([x, y, width, height]): Bbox => [
          -122.3 + x * step,
          45.5 + y * step,
          -122.3 + (x + width) * step,
          45.5 + (y + height) * step,
        ],
      )
  }
  const cases = fc.sample(fc.tuple(boxOf(4), boxOf(24)), { numRuns: 20_000, seed: 12 })
  const places = cases.map(([[w, s, e, n], box]) => ({ parcel: `((${e},${n}),(${w},${s}))`, limits: innerBox(box) }))
  const rows = await sql<{ isInside: boolean | null }[]>`
    select parcel <@ limits as "isInside"
    from rows from (json_to_recordset(${JSON.stringify(places)}::text::json) as (parcel box, limits box)) with ordinality
    order by ordinality`
  const inside = cases.filter((_, index) => rows[index]?.isInside)
  for (const [[w, s, e, n], [west, south, east, north]] of inside) {
    expect(w >= west && s >= south && e <= east && n <= north).toBe(true)
  }
  expect(inside.length).toBeGreaterThan(500)
})

import { expect, test } from 'bun:test'
import type { Bbox } from '../../core/bbox'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { createTestDatabase } from '../servers'
import { askService, askTurf, createRandom, drawQuestion, type PlaceQuestion, readKnownParcels } from './brute-force'

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

const withKind = (kind: PlaceQuestion['kind'], count: number): PlaceQuestion[] => {
  const random = createRandom(7)
  const questions: PlaceQuestion[] = []
  while (questions.length < count) {
    const question = drawQuestion(random, bounds, 400)
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

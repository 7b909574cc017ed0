import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawCases } from '../bench/relevance/cases'
import { sampleCounty } from '../bench/relevance/counties'
import { createOwnEngine } from '../bench/relevance/engines/own'
import { KINDS } from '../bench/relevance/kinds'
import { measureCorrections, measureRanks } from '../bench/relevance/measure'
import { type Roll, readRoll } from '../bench/relevance/roll'
import { mean } from '../bench/search/statistics'
import { createTestDatabase, testMeilisearch } from '../support/servers'

/*
 * The relevance suite (test/bench/relevance) on a small sample county. Each kind of query has a floor, a little below what was measured. Floors only
 * go up: after an improvement, `RAISE_FLOORS=1 bun test test/search/relevance.test.ts` writes the higher ones.
 */
const FLOORS_FILE = join(import.meta.dirname, 'relevance-floors.json')
const floors: Record<string, number> = JSON.parse(readFileSync(FLOORS_FILE, 'utf8'))
const raised: Record<string, number> = {}
/** What one case of a kind can change. Records with equal scores are in the order of their ids, which differ from run to run. */
const MARGIN = 0.08
const PARCELS = 5_500
const SEED = 1
const CASES = 13
const TEXTS = 100

const { url } = await createTestDatabase()
const engine = createOwnEngine({ databaseUrl: url, meili: testMeilisearch(), indexPrefix: `relevance_${process.pid}_` })
afterAll(async () => {
  await engine.stop()
  if (process.env.RAISE_FLOORS === undefined) return
  const all = Object.entries({ ...floors, ...raised })
  writeFileSync(FLOORS_FILE, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`)
})

let roll: Roll
beforeAll(async () => {
  const records = await sampleCounty(PARCELS).read()
  roll = readRoll(records)
  await engine.load(records)
}, 300_000)

/** The names of measures that are below their floors, with both values. */
const findBelow = (measured: Readonly<Record<string, number>>): string[] => {
  for (const [title, value] of Object.entries(measured)) {
    raised[title] = Math.max(floors[title] ?? 0, Math.floor(100 * (value - MARGIN)) / 100)
  }
  if (process.env.RAISE_FLOORS !== undefined) return []
  return Object.entries(measured).flatMap(([title, value]) => {
    const floor = floors[title]
    return floor !== undefined && value >= floor ? [] : [`${title}: ${value.toFixed(3)}, floor ${floor}`]
  })
}

test('a thousand searches of all kinds find their records as well as before', async () => {
  const cases = drawCases(roll, { count: CASES, seeds: [SEED] })
  expect([...cases.values()].flat().length).toBeGreaterThanOrEqual(1_000)
  const measured: Record<string, number> = {}
  for (const [{ title }, ofKind] of cases) measured[title] = mean(await measureRanks(engine, roll, ofKind))
  expect(Object.keys(measured).toSorted()).toEqual(KINDS.map(({ title }) => title).toSorted())
  expect(findBelow(measured)).toEqual([])
}, 300_000)

test('misspelled queries are reported as corrected, and correct ones are not', async () => {
  const { correct, corrected, misspelt, right } = await measureCorrections(engine, roll, { count: TEXTS, seed: SEED })
  expect(
    findBelow({
      'corrected: correct texts left alone': 1 - corrected / correct,
      'corrected: misspelt texts corrected rightly': right / misspelt,
    }),
  ).toEqual([])
}, 300_000)

import { expect, spyOn, test } from 'bun:test'
import type { Reads } from '../../core/postgres/replicas/reads'
import { findChangeNumber, listVocabulary } from '../../drizzle/queries/search/search-vocabulary'
import { createVocabularyKeeper } from '../../search/query/vocabulary-keeper'

test('a reading of the vocabulary that failed after a long time is not repeated immediately, because it would keep the database busy', async () => {
  let [now, readings] = [0, 0]
  using _ = spyOn(performance, 'now').mockImplementation(() => now)
  const failing: Reads = {
    run: () => {
      readings++
      now += 20_000
      return Promise.reject(new Error('canceling statement due to statement timeout'))
    },
  }
  const keeper = createVocabularyKeeper(failing)
  for (; now < 600_000; now += 1_000) {
    keeper.current()
    await Bun.sleep(0)
  }
  expect(readings).toBe(1)
})

/** Runs a keeper that is asked each second. Looking takes no time, a reading 3 s. `changes`: the number of changes at a time in s. */
const timesOfReadings = async (changes: (s: number) => number, untilS: number): Promise<number[]> => {
  let now = 0
  using _ = spyOn(performance, 'now').mockImplementation(() => now)
  const readAt: number[] = []
  const reads = {
    run: async (_: unknown, query: unknown) => {
      if (query === findChangeNumber) return changes(now / 1_000)
      if (query === listVocabulary) {
        readAt.push(now / 1_000)
        now += 3_000
      }
      return []
    },
  }
  const keeper = createVocabularyKeeper(reads as Reads)
  for (; now < untilS * 1_000; now += 1_000) {
    keeper.current()
    await Bun.sleep(0)
  }
  return readAt
}

test('the words of a county that makes the database larger are known soon after it was loaded', async () => {
  const [first, second, ...more] = await timesOfReadings((s) => (s < 20 ? 5_000 : 18_000), 600)
  expect([first, more]).toEqual([0, []])
  expect(second).toBeGreaterThanOrEqual(20)
  expect(second).toBeLessThanOrEqual(25)
})

test('a database that changes all the time is read again, for less than a tenth of the time', async () => {
  // 0.1% each second.
  const readings = await timesOfReadings((s) => 1_000_000 * 1.001 ** s, 1_600)
  expect(readings.length).toBeGreaterThanOrEqual(6)
  expect(readings.length * 3).toBeLessThan(1_600 / 10)
})

test('a database in which few rows change is not read again', async () => {
  expect(await timesOfReadings((s) => 1_000_000 + s, 1_600)).toEqual([0])
})

import { afterEach, expect, setSystemTime, test } from 'bun:test'
import type { Reads } from '../../core/postgres/replicas/reads'
import { createVocabularyKeeper } from '../../search/query/vocabulary-keeper'

afterEach(() => setSystemTime())

test('a reading of the vocabulary that failed after a long time is not repeated immediately, because it would keep the database busy', async () => {
  const start = Date.now()
  let [now, readings] = [start, 0]
  const failing: Reads = {
    run: () => {
      readings++
      now += 20_000
      setSystemTime(now)
      return Promise.reject(new Error('canceling statement due to statement timeout'))
    },
  }
  const keeper = createVocabularyKeeper(failing)
  for (; now < start + 600_000; now += 1_000) {
    setSystemTime(now)
    keeper.current()
    await Bun.sleep(0)
  }
  expect(readings).toBe(1)
})

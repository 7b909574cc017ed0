import { expect, spyOn, test } from 'bun:test'
import type { Reads } from '../../core/postgres/replicas/reads'
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

import { expect, test } from 'bun:test'
import { batchCalls } from '../../../core/concurrency/batch-calls'

/** Doubles numbers; fails for a set with a 13. */
const createDouble = (gatherMs: number) => {
  const sets: number[][] = []
  const double = batchCalls(
    async (numbers: number[]) => {
      sets.push(numbers)
      if (numbers.includes(13)) throw new Error('unlucky')
      return numbers.map((number) => 2 * number)
    },
    { mostItems: 3, gatherMs, isEveryones: () => false },
  )
  return { double, sets }
}

test('items that arrive soon after the first share its call, up to the most items', async () => {
  const { double, sets } = createDouble(200)
  const first = double(1)
  await new Promise(setImmediate)
  expect(await Promise.all([first, double(2), double(3), double(4)])).toEqual([2, 4, 6, 8])
  expect(sets).toEqual([[1, 2, 3], [4]])
})

test('an item that fails does not fail the others of its call', async () => {
  const { double, sets } = createDouble(1)
  const [good, bad] = await Promise.allSettled([double(1), double(13)])
  expect(good).toEqual({ status: 'fulfilled', value: 2 })
  expect(bad.status).toBe('rejected')
  expect(sets).toEqual([[1, 13], [1], [13]])
})

import { expect, test } from 'bun:test'
import { batchTurn } from '../../../core/concurrency/batch-turn'

/** Doubles numbers when `answer` is called; fails for a set with a 13. */
const createDouble = ({ isEveryones = false } = {}) => {
  const sets: number[][] = []
  const gate = Promise.withResolvers<void>()
  const double = batchTurn(
    async (numbers: number[]) => {
      sets.push(numbers)
      await gate.promise
      if (numbers.includes(13)) throw new Error('unlucky')
      return numbers.map((number) => 2 * number)
    },
    { mostItems: 3, isEveryones: () => isEveryones },
  )
  return { double, sets, answer: gate.resolve }
}

test('items of one turn share a call, up to the most items', async () => {
  const { double, sets, answer } = createDouble()
  answer()
  expect(await Promise.all([1, 2, 3, 4].map(double))).toEqual([2, 4, 6, 8])
  expect(sets).toEqual([[1, 2, 3], [4]])
})

test('an item does not wait for a call in progress', async () => {
  const { double, sets, answer } = createDouble()
  const first = double(1)
  while (sets.length < 1) await new Promise(setImmediate)
  const second = double(2)
  while (sets.length < 2) await new Promise(setImmediate)
  answer()
  expect(await Promise.all([first, second])).toEqual([2, 4])
  expect(sets).toEqual([[1], [2]])
})

test('an item that fails does not fail the others of its call', async () => {
  const { double, sets, answer } = createDouble()
  answer()
  const [good, bad] = await Promise.allSettled([double(1), double(13)])
  expect(good).toEqual({ status: 'fulfilled', value: 2 })
  expect(bad.status).toBe('rejected')
  expect(sets).toEqual([[1, 13], [1], [13]])
})

test("everyone's error fails all items without another call", async () => {
  const { double, sets, answer } = createDouble({ isEveryones: true })
  answer()
  const results = await Promise.allSettled([double(1), double(13)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(sets).toEqual([[1, 13]])
})

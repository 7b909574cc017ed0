import { expect, test } from 'bun:test'
import { once } from '../../../core/concurrency/once'

test('work is done once and its result is kept, but after a failure the next call does it again', async () => {
  let calls = 0
  const read = once(async () => {
    calls++
    if (calls === 1) throw new Error('away')
    return calls
  })
  await expect(read()).rejects.toThrow('away')
  expect(await Promise.all([read(), read()])).toEqual([2, 2])
  expect(await read()).toBe(2)
})

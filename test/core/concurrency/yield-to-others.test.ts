import { expect, test } from 'bun:test'
import { yieldToOthers } from '../../../core/concurrency/yield-to-others'

const work = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('the work of many callers is spread over several turns of the event loop', async () => {
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const order: number[] = []
  await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      await yieldToOthers()
      work(0.5)
      order.push(index)
    }),
  )
  isOver = true
  // 30 ms of work, with 1 to 2 ms per turn.
  expect(turns).toBeGreaterThanOrEqual(9)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

test('a single piece of work does not wait for a turn', async () => {
  await new Promise((resolve) => setImmediate(resolve))
  let hasTurned = false
  setImmediate(() => {
    hasTurned = true
  })
  await yieldToOthers()
  expect(hasTurned).toBeFalse()
})

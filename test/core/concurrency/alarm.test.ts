import { expect, test } from 'bun:test'
import { createAlarm } from '../../../core/concurrency/alarm'

const LONG_MS = 10_000

test('a ring ends the wait in progress, or the next one if nobody waits', async () => {
  const { ring, wait } = createAlarm()
  const waiting = wait(LONG_MS)
  ring()
  expect(await waiting).toBe(true)
  ring()
  ring()
  expect(await wait(LONG_MS)).toBe(true)
  expect(await wait(1)).toBe(false)
})

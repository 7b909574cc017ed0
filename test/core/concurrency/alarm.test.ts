import { expect, test } from 'bun:test'
import { createAlarm } from '../../../core/concurrency/alarm'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'

test('a ring ends the wait in progress, or the next one if nobody waits', async () => {
  const { ring, wait } = createAlarm()
  const waiting = wait(TEST_TIMEOUT_MS)
  ring()
  expect(await waiting).toBe(true)
  ring()
  ring()
  expect(await wait(TEST_TIMEOUT_MS)).toBe(true)
  expect(await wait(1)).toBe(false)
})

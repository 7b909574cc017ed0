import { expect, test } from 'bun:test'
import { retryDelayMs } from '../../src/jobs/retry-delay'

const DAY_MS = 86_400_000
const delaysOf = (attempt: number, retryAfterMs: number | null) =>
  Array.from({ length: 200 }, () => retryDelayMs(attempt, retryAfterMs))

test.each([
  [1, 4_000],
  [2, 16_000],
  [3, 64_000],
])(
  'after attempt %d, a job backs off for %d ms, half of that more or less, and not each for the same time',
  (attempt, middleMs) => {
    const delays = delaysOf(attempt, null)
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(middleMs / 2)
    expect(Math.max(...delays)).toBeLessThanOrEqual(middleMs * 1.5)
    expect(new Set(delays).size).toBeGreaterThan(1)
  },
)

test('a job never backs off for less time than the portal’s Retry-After, and never for more than a day', () => {
  expect(Math.min(...delaysOf(1, 60_000))).toBe(60_000)
  expect(Math.min(...delaysOf(3, 1_000))).toBeGreaterThanOrEqual(32_000)
  expect(new Set(delaysOf(1, 30 * DAY_MS))).toEqual(new Set([DAY_MS]))
  expect(new Set(delaysOf(30, null))).toEqual(new Set([DAY_MS]))
})

import { expect, test } from 'bun:test'
import { createLatencyWindow } from '../../../core/observe/latency-window'

test('percentiles are exact to a tenth, and null without requests', () => {
  const window = createLatencyWindow(() => 1_000_000_000)
  expect(window.read()).toEqual({ requests: 0, p50: null, p95: null })
  for (let ms = 1; ms <= 100; ms++) window.observe(ms)
  const { requests, p50, p95 } = window.read()
  expect(requests).toBe(100)
  expect(p50 ?? 0).toBeWithin(50, 56)
  expect(p95 ?? 0).toBeWithin(95, 105)
})

test('durations beyond both ends are counted', () => {
  const window = createLatencyWindow(() => 1_000_000_000)
  window.observe(0)
  window.observe(10_000_000)
  expect(window.read().requests).toBe(2)
  expect(window.read().p50).toBe(0.1)
})

test('requests are forgotten after an hour, minute by minute', () => {
  let now = 1_000_000_000
  const window = createLatencyWindow(() => now)
  window.observe(10)
  now += 30 * 60_000
  window.observe(20)
  window.observe(20)
  expect(window.read().requests).toBe(3)
  now += 30 * 60_000
  expect(window.read().requests).toBe(2)
  now += 30 * 60_000
  expect(window.read()).toEqual({ requests: 0, p50: null, p95: null })
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { keepTarget, simulate } from '../../../src/scrape/tuner/simulate'
import type { PortalModel } from '../../../src/scrape/tuner/simulate-portal'
import { config, GOALS, judge, MINUTE_MS, run, runBest, SETTLED, scenarios, sum } from './scenarios'

describe('from any start it gets close to the best fixed setting within 15 cycles and stays there:', () => {
  for (const [index, { name, portal }] of scenarios.entries()) {
    test(name, () => {
      const best = runBest(portal)
      const start = fc.integer({ min: config.minConcurrency, max: config.maxConcurrency })
      fc.assert(
        fc.property(start, (start) => {
          const { deviation, refusedShare, throughputShare, recoveryCycles } = judge(portal, start, best)
          expect(deviation).toBeLessThanOrEqual(GOALS.deviation)
          expect(refusedShare).toBeLessThan(GOALS.refusedShare)
          expect(throughputShare).toBeGreaterThanOrEqual(GOALS.throughputShare)
          if (recoveryCycles !== null) expect(recoveryCycles).toBeLessThanOrEqual(GOALS.recoveryCycles)
        }),
        // The extremes and another value for each portal. All starting values: `bun run bench tuner --starts 128`.
        { numRuns: 3, seed: index, examples: [[1], [config.maxConcurrency]], endOnFailure: true },
      )
    })
  }
})

test('the best fixed setting is the capacity: no other does more', () => {
  for (const beyond of ['refuses', 'slows'] as const) {
    const portal: PortalModel = { capacity: 16, beyond, latencyMs: 500 }
    const bring = (target: number) => sum(run(portal, target, keepTarget), ({ done }) => done)
    for (const target of [4, 8, 12, 20, 32, 64]) expect(bring(target)).toBeLessThan(bring(16) * 1.02)
  }
})

test('over a day, probing costs less than 1% of throughput and of responses', () => {
  const portal: PortalModel = { capacity: 6, beyond: 'refuses', latencyMs: 500 }
  const of = (policy?: typeof keepTarget, start = 2) =>
    simulate({
      portal,
      config: { ...config, maxConcurrency: 32, targetConcurrency: start },
      cycles: 24 * 60,
      cycleMs: MINUTE_MS,
      ...(policy === undefined ? {} : { policy }),
    }).slice(SETTLED)
  const [tuned, best] = [of(), of(keepTarget, 6)]
  expect(sum(tuned, ({ done }) => done) / sum(best, ({ done }) => done)).toBeGreaterThan(0.99)
  expect(sum(tuned, ({ refused }) => refused) / sum(tuned, ({ done, refused }) => done + refused)).toBeLessThan(0.01)
})

test('a portal that bans for Retry-After gets no requests until then, and probing does not cause a second ban', () => {
  const start = fc.integer({ min: 1, max: 128 })
  const capacity = fc.constantFrom(1, 2, 4, 16, 64)
  const retryAfterMinutes = fc.integer({ min: 1, max: 60 })
  fc.assert(
    fc.property(start, capacity, retryAfterMinutes, (start, capacity, minutes) => {
      const portal: PortalModel = { capacity, beyond: 'bans', latencyMs: 500, retryAfterMs: minutes * MINUTE_MS }
      const cycles = simulate({
        portal,
        config: { ...config, targetConcurrency: start },
        // A ban from the start, a ban caused by doubling, and time to recover.
        cycles: 2 * minutes + 30,
        cycleMs: MINUTE_MS,
        seed: start,
      })
      for (const [minute, { target, done, refused, failed, signals, decision }] of cycles.entries()) {
        const [before, beforeThat] = [cycles[minute - 1]?.decision.state, cycles[minute - 2]?.decision.state]
        if ((decision.state.holdUntil ?? 0) > signals.at) expect(decision.target).toBeLessThanOrEqual(target)
        const isLeftAlone = beforeThat?.breakerOpenedAt != null && (before?.holdUntil ?? 0) >= signals.at
        if (isLeftAlone) expect({ done, refused, failed }).toEqual({ done: 0, refused: 0, failed: 0 })
      }
      const opened = new Set(cycles.map(({ decision }) => decision.state.breakerOpenedAt))
      expect(opened.size - 1).toBeLessThanOrEqual(2)
      // The level before the ban, from which it doubled.
      const settled = cycles.at(-1)?.target ?? 0
      expect(settled).toBeLessThanOrEqual(capacity)
      expect(settled).toBeGreaterThan(capacity / 2)
    }),
    { numRuns: 8, seed: 5, examples: [[100, 16, 60]] },
  )
})

test('a portal with increased capacity is detected, because its ceiling is probed again', () => {
  const cycles = simulate({
    portal: { capacity: 24, beyond: 'refuses', latencyMs: 500 },
    config: { ...config, targetConcurrency: 6, maxConcurrency: 32 },
    state: { ceiling: 6, probeAt: 60 * MINUTE_MS, proven: 6, explored: true },
    cycles: 120,
    cycleMs: MINUTE_MS,
  })
  expect(cycles.slice(0, 60).every(({ target }) => target === 6)).toBe(true)
  expect(cycles.at(-1)?.target).toBeGreaterThanOrEqual(18)
})

test('the same simulation gives the same cycles', () => {
  const portal: PortalModel = { capacity: 4, beyond: 'refuses', latencyMs: 500 }
  expect(run(portal, 8)).toEqual(run(portal, 8))
})

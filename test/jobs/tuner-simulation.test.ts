import { expect, test } from 'bun:test'
import type { TunerConfig } from '../../src/jobs/tuner/decide'
import { keepTarget, type SimulatedCycle, simulate } from '../../src/jobs/tuner/simulate'
import type { PortalModel } from '../../src/jobs/tuner/simulate-portal'

/*
 * What a policy has to bring before it ships: from any start it comes near the best fixed setting within 15 cycles and stays
 * there. A cycle is a minute, and so is the window.
 */
const MINUTE_MS = 60_000
const SETTLED = 15
const CYCLES = 60
const OUTAGE = { from: 30, to: 40 }
const RECOVERED = OUTAGE.to + 10
const config: TunerConfig = {
  mode: 'auto',
  minConcurrency: 1,
  maxConcurrency: 128,
  targetConcurrency: 1,
  slowThresholdMs: 8_000,
  fastThresholdMs: 2_000,
  stepSize: 1,
  windowMs: MINUTE_MS,
}
const run = (portal: PortalModel, start: number, policy?: typeof keepTarget): SimulatedCycle[] =>
  simulate({
    portal,
    config: { ...config, targetConcurrency: start },
    cycles: CYCLES,
    cycleMs: MINUTE_MS,
    seed: start,
    ...(policy === undefined ? {} : { policy }),
  })
const sum = (cycles: SimulatedCycle[], part: (cycle: SimulatedCycle) => number) =>
  cycles.reduce((total, cycle) => total + part(cycle), 0)

const days: [name: string, Partial<PortalModel>][] = [
  ['on a plain day', {}],
  ['around an outage of ten minutes', { outage: { from: OUTAGE.from * MINUTE_MS, to: OUTAGE.to * MINUTE_MS } }],
  ['when it becomes three times as slow', { slow: { from: 25 * MINUTE_MS, to: CYCLES * MINUTE_MS, factor: 3 } }],
]
const starts = [1, 3, 8, 21, 55, 128]

for (const beyond of ['refuses', 'slows'] as const) {
  for (const capacity of [1, 4, 16, 64]) {
    for (const [day, events] of days) {
      test(`a portal that bears ${capacity} at once and ${beyond} beyond, ${day}`, () => {
        const portal: PortalModel = { capacity, beyond, latencyMs: 500, ...events }
        const best = run(portal, capacity, keepTarget)
        for (const start of starts) {
          const cycles = run(portal, start)
          const judged = (cycle: SimulatedCycle) => {
            const minute = cycles.indexOf(cycle)
            return minute >= SETTLED && (portal.outage === undefined || minute < OUTAGE.from || minute >= RECOVERED)
          }
          const steady = cycles.filter(judged)
          for (const { target } of steady)
            expect(Math.abs(target - capacity) / capacity, `from ${start}`).toBeLessThanOrEqual(0.25)
          const bestDone = sum(
            best.filter((_, minute) => steady.includes(cycles[minute] as SimulatedCycle)),
            ({ done }) => done,
          )
          expect(sum(steady, ({ done }) => done) / bestDone, `from ${start}`).toBeGreaterThanOrEqual(0.9)
          const refusedShare =
            sum(steady, ({ refused }) => refused) / sum(steady, ({ done, refused, failed }) => done + refused + failed)
          expect(refusedShare, `from ${start}`).toBeLessThan(0.02)
        }
      }, 60_000)
    }
  }
}

test('the best fixed setting is the capacity: others bring no more', () => {
  for (const beyond of ['refuses', 'slows'] as const) {
    const portal: PortalModel = { capacity: 16, beyond, latencyMs: 500 }
    const bring = (target: number) => sum(run(portal, target, keepTarget), ({ done }) => done)
    for (const target of [4, 8, 12, 20, 32, 64]) expect(bring(target)).toBeLessThan(bring(16) * 1.02)
  }
})

test('over a day, probing for more costs less than a hundredth of throughput and of answers', () => {
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
}, 60_000)

test('a portal that grew is found out: its ceiling is probed again', () => {
  const cycles = simulate({
    portal: { capacity: 24, beyond: 'refuses', latencyMs: 500 },
    config: { ...config, targetConcurrency: 6, maxConcurrency: 32 },
    state: { ceiling: 6, probeAt: 60 * MINUTE_MS, proven: 6, explored: true },
    cycles: 120,
    cycleMs: MINUTE_MS,
  })
  expect(cycles.slice(0, 60).every(({ target }) => target === 6)).toBe(true)
  expect(cycles.at(-1)?.target).toBeGreaterThanOrEqual(18)
}, 60_000)

test('the same simulation gives the same cycles', () => {
  const portal: PortalModel = { capacity: 4, beyond: 'refuses', latencyMs: 500 }
  expect(run(portal, 8)).toEqual(run(portal, 8))
})

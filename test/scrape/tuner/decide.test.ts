import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Signals, TunerConfig } from '../../../core/sources/tuner'
import { decide, FRESH_STATE, type TunerState } from '../../../src/scrape/tuner/decide'
import { fromRecordedSignals, toRecordedSignals } from '../../../src/scrape/tuner/recorded-signals'

const AT = Date.parse('2026-11-20T12:00:00.000Z')
const MINUTE_MS = 60_000

const config: TunerConfig = {
  mode: 'auto',
  minConcurrency: 1,
  maxConcurrency: 32,
  targetConcurrency: 8,
  slowThresholdMs: 8_000,
  fastThresholdMs: 2_000,
  stepSize: 1,
  windowMs: 10 * MINUTE_MS,
}
const well: Signals = {
  at: AT,
  finished: 400,
  done: 400,
  notFound: 0,
  throttled: 0,
  blocked: 0,
  timeouts: 0,
  otherFailures: 0,
  retryAfterMs: 0,
  p50Ms: 600,
  p95Ms: 900,
  goodSlots: 7.8,
  running: 8,
  queued: 500,
}
const decideAfter = (signals: Partial<Signals>, state: Partial<TunerState> = {}, settings: Partial<TunerConfig> = {}) =>
  decide({ ...config, ...settings }, { ...well, ...signals }, { ...FRESH_STATE, ...state })

describe('one window', () => {
  test('no problems and slots in use: up', () => {
    expect(decideAfter({})).toMatchObject({ target: 16, reason: 'all well (400 done, p50 600 ms, p95 900 ms): up' })
  })

  test('no problems, but slots are idle: no change', () => {
    expect(decideAfter({ goodSlots: 3 }).target).toBe(8)
  })

  test('fewer than 5 finished: no change, with the reason', () => {
    expect(decideAfter({ finished: 4, done: 0, throttled: 4 })).toMatchObject({
      target: 8,
      reason: 'no change: 4 finished in the window, fewer than 5',
    })
  })

  test('throttled or blocked: halved once, and held until Retry-After has passed', () => {
    const halved = decideAfter({ done: 380, throttled: 20, retryAfterMs: 15 * MINUTE_MS })
    expect(halved.target).toBe(4)
    expect(halved.reason).toContain('halved, held until 2026-11-20T12:15:00.000Z by Retry-After')
    const later = (minutes: number) =>
      decide({ ...config, targetConcurrency: 4 }, { ...well, at: AT + minutes * MINUTE_MS }, halved.state)
    expect(later(5).reason).toStartWith('last change 300 s ago')
    expect(later(12)).toMatchObject({
      target: 4,
      reason: 'no change, held until 2026-11-20T12:15:00.000Z by Retry-After',
    })
    expect(later(16).target).toBeGreaterThan(4)
    expect(decideAfter({ done: 380, blocked: 20 }).target).toBe(4)
  })

  test('a refusal among hundreds only keeps it from rising', () => {
    expect(decideAfter({ done: 398, throttled: 2 }).target).toBe(8)
  })

  test('slow: down by a step, by more where it is far too slow, never by more than half', () => {
    expect(decideAfter({ p95Ms: 8_001 }, {}, { stepSize: 2 }).target).toBe(6)
    expect(decideAfter({ p95Ms: 12_000 }).target).toBe(5)
    expect(decideAfter({ p95Ms: 90_000 }).target).toBe(4)
  })

  test('neither fast nor slow, once lower levels are known: no change', () => {
    expect(decideAfter({ p95Ms: 4_000 }, { explored: true }).target).toBe(8)
  })

  test('exactly at a threshold: neither fast nor slow; just below the fast one: up', () => {
    expect(decideAfter({ p95Ms: 8_000 }, { explored: true }).target).toBe(8)
    expect(decideAfter({ p95Ms: 2_000 }, { explored: true }).target).toBe(8)
    expect(decideAfter({ p95Ms: 1_999 }, { explored: true }).target).toBe(16)
  })

  test('more than half failed: down to the minimum until a probe succeeds', () => {
    const tripped = decideAfter({ done: 100, otherFailures: 300 })
    expect(tripped).toMatchObject({ target: 1, state: { breakerOpenedAt: AT } })
    const probe = (signals: Partial<Signals>) =>
      decide(
        { ...config, targetConcurrency: 1 },
        { ...well, at: AT + MINUTE_MS, p50Ms: null, p95Ms: null, ...signals },
        tripped.state,
      )
    expect(probe({ finished: 1, done: 0, otherFailures: 1 })).toMatchObject({
      target: 1,
      state: { breakerOpenedAt: AT },
    })
    expect(probe({ finished: 1, done: 1 })).toMatchObject({ target: 1, state: { breakerOpenedAt: null } })
  })

  test('all throttled: the breaker also waits for Retry-After, then probes, then rises', () => {
    const all = { finished: 100, done: 0, throttled: 100, p50Ms: null, p95Ms: null, goodSlots: 0 }
    const tripped = decideAfter({ ...all, retryAfterMs: 60 * MINUTE_MS })
    expect(tripped).toMatchObject({ target: 1, state: { breakerOpenedAt: AT, holdUntil: AT + 60 * MINUTE_MS } })
    expect(tripped.reason).toContain('held until 2026-11-20T13:00:00.000Z by Retry-After, then probing with one job')
    const later = (minutes: number, known: TunerState, signals: Partial<Signals> = {}) =>
      decide({ ...config, targetConcurrency: 1 }, { ...well, ...signals, at: AT + minutes * MINUTE_MS }, known)
    const held = later(5, tripped.state, { finished: 1, done: 1 })
    expect(held).toMatchObject({ target: 1, state: { breakerOpenedAt: AT } })
    expect(held.reason).toBe('breaker open, no probes, held until 2026-11-20T13:00:00.000Z by Retry-After')
    const closed = later(61, held.state, { finished: 1, done: 1 })
    expect(closed).toMatchObject({ target: 1, state: { breakerOpenedAt: null, holdUntil: null } })
    expect(later(72, closed.state).target).toBe(2)
  })

  test('too few jobs to decide, but their Retry-After is remembered', () => {
    const { target, state } = decideAfter({ finished: 1, done: 0, throttled: 1, retryAfterMs: 30 * MINUTE_MS })
    expect({ target, holdUntil: state.holdUntil }).toEqual({ target: 8, holdUntil: AT + 30 * MINUTE_MS })
    expect(decideAfter({ at: AT + 29 * MINUTE_MS }, state).target).toBe(8)
    expect(decideAfter({ at: AT + 30 * MINUTE_MS }, state).target).toBe(16)
  })

  test('a Retry-After of a day holds the vendor for an hour, even one that was stored before', () => {
    const day = 24 * 60 * MINUTE_MS
    const held = decideAfter({ done: 0, throttled: 100, finished: 100, goodSlots: 0, retryAfterMs: day }).state
    expect(held.holdUntil).toBe(AT + 60 * MINUTE_MS)
    const later = decideAfter({ at: AT + 9 * MINUTE_MS, retryAfterMs: day - 9 * MINUTE_MS }, held).state
    expect(later.holdUntil).toBe(AT + 69 * MINUTE_MS)
    const over = decideAfter({ at: AT + 69 * MINUTE_MS, finished: 1, done: 1 }, later).state
    expect(over).toMatchObject({ holdUntil: null, breakerOpenedAt: null })
    expect(decideAfter({}, { ...FRESH_STATE, holdUntil: AT + day }).state.holdUntil).toBe(AT + 60 * MINUTE_MS)
  })

  test('unknown parcels are neither failures nor a reason to rise', () => {
    expect(decideAfter({ done: 3, notFound: 397 })).toMatchObject({ target: 8, state: { breakerOpenedAt: null } })
  })
})

describe('for any signals', () => {
  const count = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2_000 }))
  const signals = fc
    .record({
      done: count,
      notFound: count,
      throttled: count,
      blocked: count,
      timeouts: count,
      otherFailures: count,
      retryAfterMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3_600_000 })),
      p50Ms: fc.integer({ min: 1, max: 20_000 }),
      spreadMs: fc.integer({ min: 0, max: 20_000 }),
      goodSlots: fc.double({ min: 0, max: 200, noNaN: true }),
      running: count,
      queued: count,
    })
    .map(({ spreadMs, ...rest }): Signals => {
      const { done, notFound, throttled, blocked, timeouts, otherFailures, p50Ms } = rest
      const finished = done + notFound + throttled + blocked + timeouts + otherFailures
      return { at: AT, finished, ...rest, p50Ms: done > 0 ? p50Ms : null, p95Ms: done > 0 ? p50Ms + spreadMs : null }
    })
  const settings = fc
    .record({
      minConcurrency: fc.integer({ min: 1, max: 20 }),
      range: fc.integer({ min: 0, max: 100 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      fastThresholdMs: fc.integer({ min: 1, max: 5_000 }),
      gapMs: fc.integer({ min: 1, max: 10_000 }),
      stepSize: fc.integer({ min: 1, max: 20 }),
      windowMs: fc.integer({ min: 1, max: 60 }).map((minutes) => minutes * MINUTE_MS),
    })
    .map(
      ({ minConcurrency, range, share, fastThresholdMs, gapMs, stepSize, windowMs }): TunerConfig => ({
        mode: 'auto',
        minConcurrency,
        maxConcurrency: minConcurrency + range,
        targetConcurrency: minConcurrency + Math.round(range * share),
        fastThresholdMs,
        slowThresholdMs: fastThresholdMs + gapMs,
        stepSize,
        windowMs,
      }),
    )
  const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
  const moment = fc.integer({ min: AT - 100 * MINUTE_MS, max: AT + 60 * MINUTE_MS })
  const state: fc.Arbitrary<TunerState> = fc.record({
    changedAt: optional(fc.integer({ min: AT - 100 * MINUTE_MS, max: AT })),
    holdUntil: optional(moment),
    ceiling: optional(fc.integer({ min: 1, max: 120 })),
    probeAt: optional(moment),
    proven: optional(fc.integer({ min: 1, max: 120 })),
    trial: optional(
      fc.record({ target: fc.integer({ min: 1, max: 120 }), p50Ms: fc.integer({ min: 1, max: 20_000 }) }),
    ),
    explored: fc.boolean(),
    breakerOpenedAt: optional(fc.integer({ min: AT - 100 * MINUTE_MS, max: AT })),
  })
  const check = (promise: (config: TunerConfig, signals: Signals, state: TunerState) => void) =>
    fc.assert(fc.property(settings, signals, state, promise), { numRuns: 5_000, seed: 5 })

  test('the target stays between minimum and maximum', () => {
    check((config, signals, state) => {
      const { target } = decide(config, signals, state)
      expect(Number.isInteger(target)).toBe(true)
      expect(target).toBeGreaterThanOrEqual(config.minConcurrency)
      expect(target).toBeLessThanOrEqual(config.maxConcurrency)
    })
  })

  test('fast failures never raise a target: neither alone nor together with other signals', () => {
    const failures = fc.record({ throttled: count, blocked: count, timeouts: count, otherFailures: count })
    fc.assert(
      fc.property(settings, signals, state, failures, (config, signals, state, more) => {
        const worse = {
          ...signals,
          throttled: signals.throttled + more.throttled,
          blocked: signals.blocked + more.blocked,
          timeouts: signals.timeouts + more.timeouts,
          otherFailures: signals.otherFailures + more.otherFailures,
          finished: signals.finished + more.throttled + more.blocked + more.timeouts + more.otherFailures,
        }
        const before = config.targetConcurrency
        if (decide(config, signals, state).target <= before) {
          expect(decide(config, worse, state).target).toBeLessThanOrEqual(before)
        }
        const { target } = decide(
          config,
          { ...worse, done: 0, finished: worse.finished - worse.done, p50Ms: null, p95Ms: null },
          state,
        )
        expect(target).toBeLessThanOrEqual(before)
      }),
      { numRuns: 5_000, seed: 5 },
    )
  })

  test('at most one step per window', () => {
    check((config, signals, state) => {
      const first = decide(config, signals, state)
      if (first.target === config.targetConcurrency) return
      const second = { ...signals, at: signals.at + config.windowMs * 0.97 }
      expect(decide({ ...config, targetConcurrency: first.target }, second, first.state).target).toBe(first.target)
    })
  })

  test('refusals of 1% or more at least halve it, down to the minimum', () => {
    check((config, signals, state) => {
      if (
        signals.finished < 5 ||
        (signals.throttled + signals.blocked) * 100 < signals.finished ||
        signals.throttled + signals.blocked === 0
      )
        return
      const { target } = decide(config, signals, { ...state, changedAt: null, breakerOpenedAt: null })
      expect(target).toBeLessThanOrEqual(Math.max(config.minConcurrency, Math.floor(config.targetConcurrency / 2)))
    })
  })

  test('no target rises and no breaker closes before the latest Retry-After has passed', () => {
    let holds = 0
    fc.assert(
      fc.property(settings, state, fc.array(signals, { minLength: 2, maxLength: 20 }), (config, before, cycles) => {
        let target = config.targetConcurrency
        let known: TunerState = before
        let latest = before.holdUntil ?? 0
        for (const [minute, gathered] of cycles.entries()) {
          const at = AT + minute * MINUTE_MS
          latest = Math.max(latest, at + gathered.retryAfterMs)
          const decision = decide({ ...config, targetConcurrency: target }, { ...gathered, at }, known)
          if (latest > at) {
            holds++
            expect(decision.target).toBeLessThanOrEqual(target)
            // Probes wait for this.
            expect(decision.state.holdUntil).toBe(latest)
            if (known.breakerOpenedAt !== null) expect(decision.state.breakerOpenedAt).toBe(known.breakerOpenedAt)
          }
          ;({ target, state: known } = decision)
        }
      }),
      { numRuns: 5_000, seed: 5 },
    )
    expect(holds).toBeGreaterThan(5_000)
  })

  test('a manual target is never touched', () => {
    check((config, signals, state) => {
      expect(decide({ ...config, mode: 'manual' }, signals, state)).toMatchObject({
        target: config.targetConcurrency,
        state,
      })
    })
  })

  test('the same signals give the same decision, and the input is not modified', () => {
    check((config, signals, state) => {
      const given = structuredClone({ config, signals, state })
      expect(decide(config, signals, state)).toEqual(decide(given.config, given.signals, given.state))
      expect({ config, signals, state }).toEqual(given)
    })
  })
})

test("signals are stored under the API's names and read back unchanged", () => {
  expect(toRecordedSignals(well)).toMatchObject({
    not_found: 0,
    p50_ms: 600,
    p95_ms: 900,
    good_slots: 7.8,
    retry_after_ms: 0,
  })
  expect(fromRecordedSignals(toRecordedSignals(well))).toEqual(well)
})

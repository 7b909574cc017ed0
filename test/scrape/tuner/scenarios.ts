import type { TunerConfig } from '../../../core/sources/tuner'
import { keepTarget, type SimulatedCycle, simulate } from '../../../src/scrape/tuner/simulate'
import type { PortalModel } from '../../../src/scrape/tuner/simulate-portal'

/*
 * The scenarios that a policy is judged on: simulated portals, and how close it comes to the best fixed setting. A cycle is a minute,
 * and so is the window.
 */
export const MINUTE_MS = 60_000
/** The target must be close within this many cycles, and stay close. */
export const SETTLED = 15
const CYCLES = 60
const OUTAGE = { from: 30, to: 40 }
const RECOVERY_CYCLES = 10

export const config: TunerConfig = {
  mode: 'auto',
  minConcurrency: 1,
  maxConcurrency: 128,
  targetConcurrency: 1,
  slowThresholdMs: 8_000,
  fastThresholdMs: 2_000,
  stepSize: 1,
  windowMs: MINUTE_MS,
}

const days: [name: string, Partial<PortalModel>][] = [
  ['on a normal day', {}],
  ['around an outage of ten minutes', { outage: { from: OUTAGE.from * MINUTE_MS, to: OUTAGE.to * MINUTE_MS } }],
  ['when it becomes three times as slow', { slow: { from: 25 * MINUTE_MS, to: CYCLES * MINUTE_MS, factor: 3 } }],
]

export interface Scenario {
  name: string
  portal: PortalModel
}

export const scenarios: Scenario[] = (['refuses', 'slows'] as const).flatMap((beyond) =>
  [1, 4, 16, 64].flatMap((capacity) =>
    days.map(([day, events]) => ({
      name: `a portal with capacity ${capacity} that ${beyond} beyond it, ${day}`,
      portal: { capacity, beyond, latencyMs: 500, ...events },
    })),
  ),
)

export const run = (portal: PortalModel, start: number, policy?: typeof keepTarget): SimulatedCycle[] =>
  simulate({
    portal,
    config: { ...config, targetConcurrency: start },
    cycles: CYCLES,
    cycleMs: MINUTE_MS,
    seed: start,
    ...(policy === undefined ? {} : { policy }),
  })

export const sum = (cycles: readonly SimulatedCycle[], part: (cycle: SimulatedCycle) => number): number =>
  cycles.reduce((total, cycle) => total + part(cycle), 0)

/** The result of the best fixed setting, cycle by cycle. */
export const runBest = (portal: PortalModel): SimulatedCycle[] => run(portal, portal.capacity, keepTarget)

/** The result of one run after it settled, without the outage and the recovery time. */
export interface Verdict {
  /** The largest difference of the target from the capacity, as a share of the capacity. */
  deviation: number
  /** Share of all finished attempts. */
  refusedShare: number
  /** Successful attempts, as a share of those of the best fixed setting. */
  throughputShare: number
  /** Cycles from the end of the outage to the first with 0.9 of that; null without an outage. */
  recoveryCycles: number | null
}

export const judge = (portal: PortalModel, start: number, best: readonly SimulatedCycle[]): Verdict => {
  const cycles = run(portal, start)
  const isSteady = (minute: number) =>
    minute >= SETTLED && (portal.outage === undefined || minute < OUTAGE.from || minute >= OUTAGE.to + RECOVERY_CYCLES)
  const steady = cycles.filter((_, minute) => isSteady(minute))
  const recovered = cycles.findIndex(
    ({ done }, minute) => minute >= OUTAGE.to && done >= 0.9 * (best[minute]?.done ?? Number.POSITIVE_INFINITY),
  )
  return {
    deviation: Math.max(...steady.map(({ target }) => Math.abs(target - portal.capacity) / portal.capacity)),
    refusedShare:
      sum(steady, ({ refused }) => refused) / sum(steady, ({ done, refused, failed }) => done + refused + failed),
    throughputShare:
      sum(steady, ({ done }) => done) /
      sum(
        best.filter((_, minute) => isSteady(minute)),
        ({ done }) => done,
      ),
    recoveryCycles:
      portal.outage === undefined ? null : recovered === -1 ? Number.POSITIVE_INFINITY : recovered - OUTAGE.to,
  }
}

export const GOALS = {
  deviation: 0.25,
  refusedShare: 0.02,
  throughputShare: 0.9,
  recoveryCycles: RECOVERY_CYCLES,
} satisfies Record<keyof Verdict, number>

import type { Signals, TunerConfig } from '../../../core/sources/tuner'
import { type Decision, decide, FRESH_STATE, type TunerState } from './decide'
import { settledAt } from './settled-at'
import { type Attempt, gatherSignals } from './signals'
import { type PortalModel, SimulatedPortal } from './simulate-portal'

/** One cycle of a simulation: what ran under `target`, and the decision at its end. */
export interface SimulatedCycle {
  target: number
  done: number
  refused: number
  failed: number
  signals: Signals
  decision: Decision
}

const BREAKER_PROBE_EVERY_MS = 60_000

export interface Simulation {
  portal: PortalModel
  config: TunerConfig
  cycles: number
  cycleMs: number
  seed?: number
  /** The tuner's state at the start. */
  state?: Partial<TunerState>
  /** Replaces the tuner, for example with a fixed setting. */
  policy?: typeof decide
}

/** Runs the decision function against a simulated portal, cycle by cycle. The same simulation gives the same cycles. */
export const simulate = ({
  portal,
  config,
  cycles,
  cycleMs,
  seed = 1,
  state: remembered,
  policy = decide,
}: Simulation): SimulatedCycle[] => {
  const simulated = new SimulatedPortal(portal, seed)
  let recent: Attempt[] = []
  let target = config.targetConcurrency
  let state: TunerState = { ...FRESH_STATE, ...remembered }
  return Array.from({ length: cycles }, (_, cycle) => {
    const at = (cycle + 1) * cycleMs
    const probing = { everyMs: BREAKER_PROBE_EVERY_MS, notBefore: state.holdUntil ?? 0 }
    const ended = simulated.run(at, target, state.breakerOpenedAt === null ? undefined : probing)
    recent = [...recent.filter(({ endedAt }) => endedAt > at - config.windowMs), ...ended]
    const since = settledAt(state, config.windowMs)
    const span = { at, windowMs: config.windowMs, since: since ?? 0 }
    const signals = gatherSignals(recent, span, { running: simulated.running, queued: 1_000 })
    const decision = policy({ ...config, targetConcurrency: target }, signals, state)
    const counts = Map.groupBy(ended, ({ outcome }) => outcome)
    const count = (...outcomes: string[]) => outcomes.reduce((sum, name) => sum + (counts.get(name)?.length ?? 0), 0)
    const row = {
      target,
      done: count('done'),
      refused: count('throttled', 'blocked'),
      failed: count('network', 'timeout'),
      signals,
      decision,
    }
    ;({ target, state } = decision)
    return row
  })
}

/** The policy of a fixed setting, for comparison. */
export const keepTarget: typeof decide = (config, _, state) => ({
  target: config.targetConcurrency,
  reason: 'fixed',
  state,
})

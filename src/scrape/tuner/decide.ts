import type { Signals, TunerConfig } from '../../../core/tuner'
import { describeSignals } from './describe-signals'

/** What the tuner remembers about a vendor between cycles. Times in ms since 1970. */
export interface TunerState {
  /** When the target last changed or the breaker closed: nothing changes before a whole window has passed since. */
  changedAt: number | null
  /** The end of the portal's Retry-After: no target rises before, and no breaker is probed (`takeProbe`). */
  holdUntil: number | null
  /** The highest concurrency that the portal is known to support. Null: not reached yet. */
  ceiling: number | null
  /** When a step above the ceiling may be tried. */
  probeAt: number | null
  /** The highest target that was fully used for a whole window without a refusal. */
  proven: number | null
  /** The level before the last step, to judge the step. */
  trial: { target: number; p50Ms: number } | null
  /** Whether it is known that a lower target would do less. */
  explored: boolean
  /** When the breaker opened: since then the vendor is probed with one job a minute. */
  breakerOpenedAt: number | null
}

export const FRESH_STATE: TunerState = {
  changedAt: null,
  holdUntil: null,
  ceiling: null,
  probeAt: null,
  proven: null,
  trial: null,
  explored: false,
  breakerOpenedAt: null,
}

export interface Decision {
  target: number
  reason: string
  state: TunerState
}

/** Fewer jobs are not enough evidence. */
const FEWEST_FINISHED = 5
/** A smaller share of refusals only keeps a target from rising; from this share on they lower it. */
const REFUSED_SHARE = 0.01
/** With a larger share of failures, nothing rises. */
const FAILED_SHARE = 0.05
/** From this share on, timeouts count as slowness. */
const TIMEOUT_SHARE = 0.1
/** Slots count as in use from this share of the target on. */
const IN_USE_SHARE = 0.75
/** A ceiling is set slightly below the slots that succeeded while the portal refused: the measurement has an error of a few percent. */
const CEILING_SHARE = 0.97
/** Smaller steps are not judged, because their effect on latency is lost in noise. */
const JUDGED_FACTOR = 1.2
/** The share of all jobs that may be refused because of probing. */
const PROBE_COST_SHARE = 0.005
const HOUR_MS = 3_600_000
/** When a ceiling is probed again: soon if the portal became slower, late if it refused. */
const PROBE_SLOW_MS = HOUR_MS
const PROBE_REFUSED_MS = { least: 6 * HOUR_MS, most: 24 * HOUR_MS }
/** Cycles run every minute, with some jitter. */
const JITTER_SHARE = 0.02

/**
 * One vendor's next target. Pure: the same config, signals and state give the same decision.
 *
 * Going down takes one window: refusals halve the target, failures of more than half open the breaker, slowness takes one
 * or more steps. Going up is doubling until a ceiling is reached, and a step must prove its worth: one that slowed the portal
 * down by more than it gained is taken back. The ceiling is remembered and tried again only after hours, because every probe
 * costs refusals. Nothing rises, and no breaker is probed, before the latest Retry-After has passed.
 *
 * It doubles instead of adding `stepSize`, because steps of 1 are too slow: from 1, it takes 47 cycles to come within a quarter of a capacity
 * of 64, with 0.48 of an hour's possible work done; doubling takes 15 cycles and does 0.82 (for a capacity of 16: 21 and 11 cycles).
 * `stepSize` is the minimum step up, the step for retrying a ceiling, and the step down for slowness. The tuner also halves the target once
 * without need, to explore below: latency alone does not show that a lower target would do as well. A portal with capacity 16 that gets 128
 * requests answers all of them, in 4 s instead of 0.5; without exploring, the target would stay there; with it, 16 is found after 5 cycles. (`simulate`.)
 */
export const decide = (config: TunerConfig, signals: Signals, state: TunerState): Decision => {
  if (config.mode === 'manual') return { target: config.targetConcurrency, reason: 'manual mode: no change', state }
  const holdUntil = holdOf(signals, state)
  const vendor = { config, signals, state: { ...state, holdUntil }, target: config.targetConcurrency }
  return (
    waitForProbe(vendor) ??
    waitForWindow(vendor) ??
    tripBreaker(vendor) ??
    yieldToRefusals(vendor) ??
    yieldToSlowness(vendor) ??
    keepHold(vendor) ??
    standStill(vendor) ??
    search(learn(vendor))
  )
}

interface Vendor {
  config: TunerConfig
  signals: Signals
  state: TunerState
  target: number
}

const stay = ({ state, target }: Vendor, reason: string, learned: Partial<TunerState> = {}): Decision => ({
  target,
  reason,
  state: { ...state, ...learned },
})

const move = (vendor: Vendor, to: number, reason: string, learned: Partial<TunerState> = {}): Decision => {
  const target = Math.min(Math.max(to, vendor.config.minConcurrency), vendor.config.maxConcurrency)
  if (target === vendor.target) return stay(vendor, reason, learned)
  return { target, reason, state: { ...vendor.state, trial: null, ...learned, changedAt: vendor.signals.at } }
}

/** The latest end of all Retry-After headers; null once it has passed. */
const holdOf = ({ at, retryAfterMs }: Signals, { holdUntil }: TunerState): number | null => {
  const latest = Math.max(holdUntil ?? 0, at + retryAfterMs)
  return latest > at ? latest : null
}

/** Why nothing rises yet, as the end of a sentence. */
const describeHold = ({ state: { holdUntil } }: Vendor): string =>
  holdUntil === null ? '' : `, held until ${new Date(holdUntil).toISOString()} by Retry-After`

const refusedOf = ({ throttled, blocked }: Signals): number => throttled + blocked
const failedOf = ({ finished, done, notFound }: Signals): number => finished - done - notFound
/** More than half failed, which opens the breaker. */
const isFailing = (signals: Signals): boolean => failedOf(signals) * 2 > signals.finished
/** Never zero, because medians are divided by each other. */
const medianOf = ({ p50Ms }: Signals): number => Math.max(1, p50Ms ?? 1)
const isInUse = ({ signals, target }: Vendor): boolean => signals.goodSlots >= IN_USE_SHARE * target

/** An open breaker waits for one success. Until Retry-After has passed nothing is tried: a success then is from an earlier job. */
const waitForProbe = (vendor: Vendor): Decision | null => {
  const { signals, state } = vendor
  if (state.breakerOpenedAt === null) return null
  if (state.holdUntil !== null) return stay(vendor, `breaker open, no probes${describeHold(vendor)}`)
  if (signals.done === 0) {
    const tried = signals.finished === 0 ? 'no probe has finished yet' : `${signals.finished} probes failed`
    return stay(vendor, `breaker open, probing with one job a minute: ${tried}`)
  }
  const closed = { breakerOpenedAt: null, changedAt: signals.at }
  return stay(vendor, 'a probe succeeded: breaker closed, the target rises again step by step', closed)
}

/** One step per window, and none without enough evidence. */
const waitForWindow = (vendor: Vendor): Decision | null => {
  const { config, signals, state } = vendor
  const elapsedMs = state.changedAt === null ? Number.POSITIVE_INFINITY : signals.at - state.changedAt
  if (elapsedMs < config.windowMs * (1 - JITTER_SHARE)) {
    const ago = Math.max(0, Math.round(elapsedMs / 1000))
    return stay(vendor, `last change ${ago} s ago: one step per ${Math.round(config.windowMs / 1000)} s`)
  }
  if (signals.finished >= FEWEST_FINISHED) return null
  return stay(vendor, `no change: ${signals.finished} finished in the window, fewer than ${FEWEST_FINISHED}`)
}

const tripBreaker = (vendor: Vendor): Decision | null => {
  const { config, signals, state, target } = vendor
  if (!isFailing(signals)) return null
  const learned = refusedOf(signals) >= REFUSED_SHARE * signals.finished ? learnCeiling(vendor) : {}
  const tries = state.holdUntil === null ? 'probing with one job a minute' : 'then probing with one job a minute'
  return move(
    vendor,
    config.minConcurrency,
    `more than half failed (${describeSignals(signals)}): breaker open, down to ${config.minConcurrency}${describeHold(vendor)}, ${tries} until one succeeds`,
    {
      // Climb back to known good levels; do not search for them again.
      ceiling: state.ceiling ?? state.proven,
      probeAt: state.probeAt ?? signals.at + PROBE_SLOW_MS,
      ...learned,
      breakerOpenedAt: signals.at,
      changedAt: signals.at,
      ...(target === config.minConcurrency ? { trial: null } : {}),
    },
  )
}

const yieldToRefusals = (vendor: Vendor): Decision | null => {
  const { config, signals, target } = vendor
  const refused = refusedOf(signals)
  if (refused === 0) return null
  const what = describeSignals(signals)
  const until = describeHold(vendor)
  if (refused < REFUSED_SHARE * signals.finished) return stay(vendor, `few refusals (${what}): no change${until}`)
  if (target === config.minConcurrency) return stay(vendor, `refused (${what}), already at the minimum${until}`)
  return move(vendor, Math.floor(target / 2), `refused (${what}): halved${until}`, learnCeiling(vendor))
}

/**
 * The ceiling that refusals reveal: the slots that still succeeded. At a level that worked before, the portal itself has
 * changed, so the ceiling stays until the same happens again. If nothing is proven yet, a portal that refuses most requests and sends
 * Retry-After reveals nothing: it may have refused everything since its first refusal, and the slots that failed for that reason
 * must not define the ceiling.
 */
const learnCeiling = ({ config, signals, state, target }: Vendor): Partial<TunerState> => {
  if (state.proven !== null && target <= state.proven) return { proven: null }
  const isMeasured = signals.done >= FEWEST_FINISHED && (state.holdUntil === null || !isFailing(signals))
  if (!isMeasured && state.proven === null) return {}
  const borne = Math.max(Math.round(signals.goodSlots * CEILING_SHARE), state.proven ?? 0, config.minConcurrency)
  const costMs = (refusedOf(signals) / (PROBE_COST_SHARE * Math.max(1, signals.done))) * config.windowMs
  return {
    ceiling: Math.max(Math.min(borne, target - 1), config.minConcurrency),
    probeAt: signals.at + Math.min(Math.max(costMs, PROBE_REFUSED_MS.least), PROBE_REFUSED_MS.most),
  }
}

const yieldToSlowness = (vendor: Vendor): Decision | null => {
  const { config, signals, target } = vendor
  const { p95Ms } = signals
  const { slowThresholdMs, stepSize, minConcurrency } = config
  const isSlow = signals.done >= FEWEST_FINISHED && p95Ms !== null && p95Ms > slowThresholdMs
  if (!isSlow && signals.timeouts < TIMEOUT_SHARE * signals.finished) return null
  const why = isSlow
    ? `slow: p95 ${p95Ms} ms, above ${slowThresholdMs} ms`
    : `${signals.timeouts} of ${signals.finished} timed out`
  if (target === minConcurrency) return stay(vendor, `${why}; already at the minimum`)
  // If load causes the latency, this share of the target meets the threshold; never less than half in one step.
  const fair = isSlow ? Math.floor(target * Math.max(0.5, slowThresholdMs / p95Ms)) : target
  return move(vendor, Math.min(target - stepSize, fair), `${why}: down`)
}

const keepHold = (vendor: Vendor): Decision | null =>
  vendor.state.holdUntil === null ? null : stay(vendor, `no change${describeHold(vendor)}`)

const standStill = (vendor: Vendor): Decision | null => {
  const { signals, target } = vendor
  if (failedOf(signals) > FAILED_SHARE * signals.finished) {
    return stay(vendor, `no change: failures never raise the target (${describeSignals(signals)})`)
  }
  if (signals.done < FEWEST_FINISHED) {
    return stay(vendor, `no change: only ${signals.done} done (${describeSignals(signals)})`)
  }
  if (!isInUse(vendor)) {
    return stay(vendor, `no change: ${signals.goodSlots} of ${target} slots in use (${describeSignals(signals)})`)
  }
  return null
}

/** A window without refusals in full use proves its level. */
const learn = (vendor: Vendor): Vendor => ({
  ...vendor,
  state: {
    ...vendor.state,
    proven: Math.max(vendor.state.proven ?? 0, vendor.target),
    explored: vendor.state.explored || vendor.target === vendor.config.minConcurrency,
  },
})

/** All is well: judge the last step, then try a higher target, or a lower one if that is not possible. */
const search = (vendor: Vendor): Decision => {
  const { trial } = vendor.state
  if (trial !== null && vendor.target >= JUDGED_FACTOR * trial.target) return judgeRaise(vendor, trial)
  if (trial !== null && vendor.target < trial.target) return judgeLowering(vendor, trial)
  return raise(vendor)
}

const knowing = (vendor: Vendor, learned: Partial<TunerState>): Vendor => ({
  ...vendor,
  state: { ...vendor.state, ...learned },
})

type Trial = NonNullable<TunerState['trial']>

/**
 * A raise that lengthened the median exceeded the portal's capacity: go back to the capacity, which is the target
 * divided by the stretch. A raise by factor f is worth nothing from a stretch of √f on: most of it became waiting.
 */
const judgeRaise = (vendor: Vendor, trial: Trial): Decision => {
  const { signals, target } = vendor
  const p50Ms = medianOf(signals)
  const stretch = p50Ms / trial.p50Ms
  const isWorthIt = stretch <= Math.min(Math.sqrt(target / trial.target), 1 + tolerance(signals))
  if (isWorthIt) return raise(knowing(vendor, { trial: null, explored: true }))
  const knee = Math.min(Math.max(Math.round(target / stretch), trial.target), target - 1)
  return move(
    vendor,
    knee,
    `${target} concurrent jobs are more than the portal supports at full speed: the median rose from ${trial.p50Ms} ms at ${trial.target} to ${p50Ms} ms; back to ${knee}`,
    { ceiling: knee, probeAt: signals.at + PROBE_SLOW_MS, proven: knee },
  )
}

/** How far a median may rise by chance: about a tenth, and more with few jobs. */
const tolerance = ({ done }: Signals): number => 0.1 + 1 / Math.sqrt(done)

/** The reverse: a cut that shortened the median by nearly as much as the target cost nothing. */
const judgeLowering = (vendor: Vendor, trial: Trial): Decision => {
  const { signals, state, target } = vendor
  const p50Ms = medianOf(signals)
  const gain = Math.max(1, trial.p50Ms / p50Ms)
  const knee = Math.min(Math.max(Math.round(trial.target / gain), target), trial.target)
  const learned =
    gain > 1 + tolerance(signals) ? { ceiling: knee, probeAt: signals.at + PROBE_SLOW_MS, proven: knee } : {}
  if (gain ** 2 > trial.target / target) {
    const wiser = knowing(vendor, { ...learned, trial: null })
    // At the minimum there is nothing lower to explore.
    return state.explored ? raise(wiser) : lookBelow(wiser)
  }
  return move(
    vendor,
    Math.min(knee, state.ceiling ?? knee),
    `fewer at once did not help: the median went from ${trial.p50Ms} ms at ${trial.target} to ${p50Ms} ms at ${target}; back up`,
    { ...learned, explored: true },
  )
}

/** Halves the target to learn whether fewer concurrent jobs would do as well. */
const lookBelow = (vendor: Vendor): Decision => {
  const { signals, target } = vendor
  const trial = { target, p50Ms: medianOf(signals) }
  const reason = `halved to learn whether ${target} is too high: median ${signals.p50Ms} ms`
  return move(vendor, Math.floor(target / 2), reason, { trial })
}

const raise = (vendor: Vendor): Decision => {
  const { config, signals, state, target } = vendor
  const { p95Ms } = signals
  const { maxConcurrency, stepSize, fastThresholdMs } = config
  const stayOrLookBelow = (reason: string) => (state.explored ? stay(vendor, reason) : lookBelow(vendor))
  if (p95Ms === null || p95Ms >= fastThresholdMs) {
    return stayOrLookBelow(`no change: p95 ${p95Ms} ms is not under ${fastThresholdMs} ms`)
  }
  const well = `all well (${describeSignals(signals)})`
  if (target >= maxConcurrency) return stayOrLookBelow(`${well}: already at the maximum`)
  const trial = state.trial ?? { target, p50Ms: medianOf(signals) }
  const ceiling = state.ceiling ?? maxConcurrency
  if (target < ceiling) {
    return move(vendor, Math.min(ceiling, Math.max(target + stepSize, target * 2)), `${well}: up`, { trial })
  }
  if (signals.at < (state.probeAt ?? 0)) {
    const when = new Date(state.probeAt ?? 0).toISOString()
    return stayOrLookBelow(`${well}: ${target} is the most that the portal supports; next try after ${when}`)
  }
  const next = target + stepSize
  return move(vendor, next, `${well}: trying whether the portal supports more than ${target} now`, {
    trial,
    ceiling: next,
  })
}

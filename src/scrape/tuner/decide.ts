import { LONGEST_HOLD_MS, type Signals, type TunerConfig } from '../../../core/sources/tuner'
import { countNoun } from '../../../core/text/count-noun'
import { describeSignals } from './describe-signals'

/** What the tuner remembers about a vendor between cycles. Times in ms since 1970. */
export interface TunerState {
  /** When the target last changed or the breaker closed. The next change must wait for a whole window. */
  changedAt: number | null
  /** The end of the portal's Retry-After. Until then no target rises and no breaker is probed (`takeProbe`). */
  holdUntil: number | null
  /** The highest concurrency that the portal is known to support. Null: not reached yet. */
  ceiling: number | null
  /** When the target may next rise above the ceiling. */
  probeAt: number | null
  /** The highest target that was fully used for a whole window without a refusal. */
  proven: number | null
  /** Target and median before the last step, to judge the step. */
  trial: { target: number; p50Ms: number } | null
  /** Whether a lower target is known to give less throughput. */
  explored: boolean
  /** When the breaker opened. While it is open, the vendor is probed with one job a minute. */
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

/** Decisions need at least this many finished jobs. */
const MIN_FINISHED = 5
/** Refusals lower the target from this share on. A smaller share only keeps the target from rising. */
const REFUSED_SHARE = 0.01
/** With a larger share of failures, the target does not rise. */
const FAILED_SHARE = 0.05
/** From this share on, timeouts count as slowness. */
const TIMEOUT_SHARE = 0.1
/** Slots count as in use from this share of the target on. */
const IN_USE_SHARE = 0.75
/** A ceiling is set slightly below the slots that succeeded while the portal refused: the measurement has an error of a few percent. */
const CEILING_SHARE = 0.97
/** Smaller steps are not judged, because noise hides their effect on latency. */
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
 * Lowering takes one window: refusals halve the target, failures of more than half open the breaker, slowness takes one or more steps.
 * To rise, the target doubles until it reaches a ceiling. A step that slowed the portal down by more than it gained is undone. The
 * ceiling is stored and probed again only after hours, because every probe costs refusals. Until the latest Retry-After has passed, no
 * target rises and no breaker is probed.
 *
 * It doubles instead of adding `stepSize`, because steps of 1 are too slow: from 1, it takes 47 cycles to come within a quarter of a capacity
 * of 64, with 0.48 of an hour's possible work done; doubling takes 15 cycles and does 0.82 (for a capacity of 16: 21 and 11 cycles).
 * `stepSize` is the minimum step up, the step for retrying a ceiling, and the step down for slowness. The tuner also halves the target
 * once to explore lower levels, because latency alone does not show whether a lower target gives the same throughput. Example: a portal
 * with capacity 16 gets 128 requests and answers all of them, in 4 s instead of 0.5 s. Without exploring, the target would stay at 128.
 * With exploring, it reaches 16 after 5 cycles (`simulate`).
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

/** The latest end of all Retry-After headers, at most LONGEST_HOLD_MS away; null once it has passed. */
const holdOf = ({ at, retryAfterMs }: Signals, { holdUntil }: TunerState): number | null => {
  const latest = Math.min(Math.max(holdUntil ?? 0, at + retryAfterMs), at + LONGEST_HOLD_MS)
  return latest > at ? latest : null
}

/** Why the target does not rise yet, as the end of a sentence. */
const describeHold = ({ state: { holdUntil } }: Vendor): string =>
  holdUntil === null ? '' : `, held until ${new Date(holdUntil).toISOString()} by Retry-After`

const refusedOf = ({ throttled, blocked }: Signals): number => throttled + blocked
const failedOf = ({ finished, done, notFound }: Signals): number => finished - done - notFound
/** Whether more than half failed, which opens the breaker. */
const isFailing = (signals: Signals): boolean => failedOf(signals) * 2 > signals.finished
/** Never zero, because medians are divided by each other. */
const medianOf = ({ p50Ms }: Signals): number => Math.max(1, p50Ms ?? 1)
const isInUse = ({ signals, target }: Vendor): boolean => signals.goodSlots >= IN_USE_SHARE * target

/** An open breaker waits for one success. Until Retry-After has passed, no probe is sent, and a success comes from an earlier job. */
const waitForProbe = (vendor: Vendor): Decision | null => {
  const { signals, state } = vendor
  if (state.breakerOpenedAt === null) return null
  if (state.holdUntil !== null) return stay(vendor, `breaker open, no probes${describeHold(vendor)}`)
  if (signals.done === 0) {
    const tried =
      signals.finished === 0 ? 'no probe has finished yet' : `${countNoun(signals.finished, 'probe')} failed`
    return stay(vendor, `breaker open, probing with one job a minute: ${tried}`)
  }
  const closed = { breakerOpenedAt: null, changedAt: signals.at }
  return stay(vendor, 'a probe succeeded: breaker closed, the target rises again step by step', closed)
}

/** Allows one step per window, and only with enough finished jobs. */
const waitForWindow = (vendor: Vendor): Decision | null => {
  const { config, signals, state } = vendor
  const elapsedMs = state.changedAt === null ? Number.POSITIVE_INFINITY : signals.at - state.changedAt
  if (elapsedMs < config.windowMs * (1 - JITTER_SHARE)) {
    const ago = Math.max(0, Math.round(elapsedMs / 1000))
    return stay(vendor, `last change ${ago} s ago: one step per ${Math.round(config.windowMs / 1000)} s`)
  }
  if (signals.finished >= MIN_FINISHED) return null
  return stay(vendor, `no change: ${signals.finished} finished in the window, fewer than ${MIN_FINISHED}`)
}

const tripBreaker = (vendor: Vendor): Decision | null => {
  const { config, signals, state, target } = vendor
  if (!isFailing(signals)) return null
  const learned = refusedOf(signals) >= REFUSED_SHARE * signals.finished ? learnCeiling(vendor) : {}
  const probing = state.holdUntil === null ? 'probing with one job a minute' : 'then probing with one job a minute'
  return move(
    vendor,
    config.minConcurrency,
    `more than half failed (${describeSignals(signals)}): breaker open, down to ${config.minConcurrency}${describeHold(vendor)}, ${probing} until one succeeds`,
    {
      // Afterwards the target rises back to levels that are known to be good.
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
 * Refusals show the ceiling: the number of slots that still succeeded. If the portal refuses at a level that worked before, the portal has
 * changed, so the ceiling stays until this happens again. If no level is proven yet and the portal refuses most requests with a
 * Retry-After, the ceiling stays unknown: the portal may have refused everything since its first refusal, so the number of successful
 * slots says nothing.
 */
const learnCeiling = ({ config, signals, state, target }: Vendor): Partial<TunerState> => {
  if (state.proven !== null && target <= state.proven) return { proven: null }
  const isMeasured = signals.done >= MIN_FINISHED && (state.holdUntil === null || !isFailing(signals))
  if (!isMeasured && state.proven === null) return {}
  const supported = Math.max(Math.round(signals.goodSlots * CEILING_SHARE), state.proven ?? 0, config.minConcurrency)
  const costMs = (refusedOf(signals) / (PROBE_COST_SHARE * Math.max(1, signals.done))) * config.windowMs
  return {
    ceiling: Math.max(Math.min(supported, target - 1), config.minConcurrency),
    probeAt: signals.at + Math.min(Math.max(costMs, PROBE_REFUSED_MS.least), PROBE_REFUSED_MS.most),
  }
}

const yieldToSlowness = (vendor: Vendor): Decision | null => {
  const { config, signals, target } = vendor
  const { p95Ms } = signals
  const { slowThresholdMs, stepSize, minConcurrency } = config
  const isSlow = signals.done >= MIN_FINISHED && p95Ms !== null && p95Ms > slowThresholdMs
  if (!isSlow && signals.timeouts < TIMEOUT_SHARE * signals.finished) return null
  const why = isSlow
    ? `slow: p95 ${p95Ms} ms, above ${slowThresholdMs} ms`
    : `${signals.timeouts} of ${signals.finished} timed out`
  if (target === minConcurrency) return stay(vendor, `${why}; already at the minimum`)
  // If load causes the latency, this target keeps it below the threshold. One step at most halves the target.
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
  if (signals.done < MIN_FINISHED) {
    return stay(vendor, `no change: only ${signals.done} done (${describeSignals(signals)})`)
  }
  if (!isInUse(vendor)) {
    return stay(vendor, `no change: ${signals.goodSlots} of ${target} slots in use (${describeSignals(signals)})`)
  }
  return null
}

/** A level is proven when its slots were in full use for a whole window without refusals. */
const learn = (vendor: Vendor): Vendor => ({
  ...vendor,
  state: {
    ...vendor.state,
    proven: Math.max(vendor.state.proven ?? 0, vendor.target),
    explored: vendor.state.explored || vendor.target === vendor.config.minConcurrency,
  },
})

/** Without problems, judges the last step, then tries a higher target, or a lower one if that is not possible. */
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
 * If a raise lengthened the median too much, the target exceeds the portal's capacity and goes back to it: the target divided by the
 * factor of the median. A raise by the factor f is not worth it if the median rises by √f or more, because requests then mostly wait.
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

/** How much a median may rise by chance: about 10%, and more with few jobs. */
const tolerance = ({ done }: Signals): number => 0.1 + 1 / Math.sqrt(done)

/** The reverse: if a cut shortened the median by nearly the same factor, throughput did not drop. */
const judgeLowering = (vendor: Vendor, trial: Trial): Decision => {
  const { signals, state, target } = vendor
  const p50Ms = medianOf(signals)
  const gain = Math.max(1, trial.p50Ms / p50Ms)
  const knee = Math.min(Math.max(Math.round(trial.target / gain), target), trial.target)
  const learned =
    gain > 1 + tolerance(signals) ? { ceiling: knee, probeAt: signals.at + PROBE_SLOW_MS, proven: knee } : {}
  if (gain ** 2 > trial.target / target) {
    const wiser = knowing(vendor, { ...learned, trial: null })
    // At the minimum there is no lower level to explore.
    return state.explored ? raise(wiser) : lookBelow(wiser)
  }
  return move(
    vendor,
    Math.min(knee, state.ceiling ?? knee),
    `a lower target did not help: the median went from ${trial.p50Ms} ms at ${trial.target} to ${p50Ms} ms at ${target}; back up`,
    { ...learned, explored: true },
  )
}

/** Halves the target to learn whether fewer concurrent jobs give the same throughput. */
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
    return stayOrLookBelow(`${well}: ${target} is the most that the portal supports; next probe after ${when}`)
  }
  const next = target + stepSize
  return move(vendor, next, `${well}: trying whether the portal supports more than ${target} now`, {
    trial,
    ceiling: next,
  })
}

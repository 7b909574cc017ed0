import type { Signals, TunerConfig } from '../../../core/tuner'
import { describeSignals } from './describe-signals'

/** What the tuner remembers of a vendor from cycle to cycle. Moments in ms since 1970. */
export interface TunerState {
  /** When the target last changed, or the breaker closed: nothing moves before a whole window has passed since. */
  changedAt: number | null
  /** Until when the portal asked to be left alone: no target rises before, and no breaker is probed (`takeProbe`). */
  holdUntil: number | null
  /** The most that the portal is known to bear. Null: not met yet. */
  ceiling: number | null
  /** When a step above the ceiling may be tried. */
  probeAt: number | null
  /** The highest target that went through a whole window in full use and without a refusal. */
  proven: number | null
  /** The level before the last step, by which the step is judged. */
  trial: { target: number; p50Ms: number } | null
  /** Whether it is known that fewer at once would not do as well. */
  explored: boolean
  /** Since when the breaker is open: the vendor is probed with one job a minute. */
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

/** Fewer say nothing. */
const FEWEST_FINISHED = 5
/** A refusal among hundreds of answers keeps a target from rising; from this share on it lowers it. */
const REFUSED_SHARE = 0.01
/** With more failures than this nothing rises. */
const FAILED_SHARE = 0.05
/** From this share on, timeouts are taken for slowness. */
const TIMEOUT_SHARE = 0.1
/** Slots count as in use from this share of the target on. */
const IN_USE_SHARE = 0.75
/** A ceiling is set a little below the slots that did good work while the portal refused: the measure has an error of some percent. */
const CEILING_SHARE = 0.97
/** Steps are judged from this factor on; the latency of smaller ones drowns in noise. */
const JUDGED_FACTOR = 1.2
/** Refusals that probing may cost, as a share of all that is done. */
const PROBE_COST_SHARE = 0.005
const HOUR_MS = 3_600_000
/** After these times a ceiling is probed again: soon where the portal grew slower, late where it refused. */
const PROBE_SLOW_MS = HOUR_MS
const PROBE_REFUSED_MS = { least: 6 * HOUR_MS, most: 24 * HOUR_MS }
/** Cycles come by the minute, give or take a moment. */
const JITTER_SHARE = 0.02

/**
 * One vendor's next target. Pure: the same config, signals and state give the same decision.
 *
 * Down is a matter of one window: refusals halve the target, failures of more than half trip the breaker, slowness takes a step
 * or more. Up is doubling until a ceiling is met, and never more than the last step proved worth: a step that made the portal
 * slower by more than it brought is taken back. The ceiling is remembered and tried again only after hours, because every probe
 * costs refusals. Nothing rises, and no breaker is probed, before the latest Retry-After has passed.
 *
 * It doubles, where `stepSize` would be the obvious way up, because steps of 1 come too late: from 1, a portal that bears 64 is met
 * within a quarter after 47 cycles, 0.48 of an hour's work done; by doubling after 15, with 0.82 (16: after 21 and 11 cycles).
 * `stepSize` is the least step up, the step by which a ceiling is tried again, and the step down from slowness. And it halves once
 * without need, to look below: latency alone does not tell that fewer would do as well. A portal that bears 16 and is asked by 128
 * answers all, in 4 s instead of 0.5; without that look it would be kept there, with it it is found after 5 cycles. (`simulate`.)
 */
export const decide = (config: TunerConfig, signals: Signals, state: TunerState): Decision => {
  if (config.mode === 'manual') return { target: config.targetConcurrency, reason: 'manual: left alone', state }
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

/** The latest moment until which the portal asked to be left alone, whatever else it said since; null once it has passed. */
const holdOf = ({ at, retryAfterMs }: Signals, { holdUntil }: TunerState): number | null => {
  const latest = Math.max(holdUntil ?? 0, at + retryAfterMs)
  return latest > at ? latest : null
}

/** Why nothing rises yet, to end a sentence with. */
const describeHold = ({ state: { holdUntil } }: Vendor): string =>
  holdUntil === null ? '' : `, held until ${new Date(holdUntil).toISOString()} as the portal asked`

const refusedOf = ({ throttled, blocked }: Signals): number => throttled + blocked
const failedOf = ({ finished, done, notFound }: Signals): number => finished - done - notFound
/** More than half: the breaker's matter. */
const isFailing = (signals: Signals): boolean => failedOf(signals) * 2 > signals.finished
/** Never zero: medians are divided by each other. */
const medianOf = ({ p50Ms }: Signals): number => Math.max(1, p50Ms ?? 1)
const isInUse = ({ signals, target }: Vendor): boolean => signals.goodSlots >= IN_USE_SHARE * target

/** An open breaker waits for one success. While the portal wants to be left alone nothing is tried: a success then is one from before. */
const waitForProbe = (vendor: Vendor): Decision | null => {
  const { signals, state } = vendor
  if (state.breakerOpenedAt === null) return null
  if (state.holdUntil !== null) return stay(vendor, `breaker open, nothing is tried${describeHold(vendor)}`)
  if (signals.done === 0) {
    const tried = signals.finished === 0 ? 'no probe has ended yet' : `${signals.finished} probes failed`
    return stay(vendor, `breaker open, one job a minute is tried: ${tried}`)
  }
  const closed = { breakerOpenedAt: null, changedAt: signals.at }
  return stay(vendor, 'a probe succeeded: breaker closed, the target rises again step by step', closed)
}

/** One step a window, and none without enough to go by. */
const waitForWindow = (vendor: Vendor): Decision | null => {
  const { config, signals, state } = vendor
  const elapsedMs = state.changedAt === null ? Number.POSITIVE_INFINITY : signals.at - state.changedAt
  if (elapsedMs < config.windowMs * (1 - JITTER_SHARE)) {
    const ago = Math.max(0, Math.round(elapsedMs / 1000))
    return stay(vendor, `last change ${ago} s ago: one step in ${Math.round(config.windowMs / 1000)} s`)
  }
  if (signals.finished >= FEWEST_FINISHED) return null
  return stay(vendor, `left alone: ${signals.finished} finished in the window, fewer than ${FEWEST_FINISHED}`)
}

const tripBreaker = (vendor: Vendor): Decision | null => {
  const { config, signals, state, target } = vendor
  if (!isFailing(signals)) return null
  const learned = refusedOf(signals) >= REFUSED_SHARE * signals.finished ? learnCeiling(vendor) : {}
  const tries = state.holdUntil === null ? 'one job a minute is tried' : 'from then on one job a minute is tried'
  return move(
    vendor,
    config.minConcurrency,
    `more than half failed (${describeSignals(signals)}): breaker open, down to ${config.minConcurrency}${describeHold(vendor)}, ${tries} until one succeeds`,
    {
      // Known good levels are climbed back to, not searched for again.
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
  if (refused < REFUSED_SHARE * signals.finished) return stay(vendor, `refusals are rare (${what}): no change${until}`)
  if (target === config.minConcurrency) return stay(vendor, `refused (${what}), already at the least${until}`)
  return move(vendor, Math.floor(target / 2), `refused (${what}): halved${until}`, learnCeiling(vendor))
}

/**
 * What refusals tell about what the portal bears: the slots that did good work meanwhile. At a level that went well before it is the
 * portal that changed, so that the ceiling stays until the same happens again. Where
 * nothing is proven yet, a portal that refuses most and wants to be left alone teaches nothing: it may have refused everything from
 * its first refusal on, and slots that did no good work for that would be taken for all that it bears.
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
  if (target === minConcurrency) return stay(vendor, `${why}; already at the least`)
  // Where load makes the latency, this share of the target meets the threshold; never under half of it at once.
  const fair = isSlow ? Math.floor(target * Math.max(0.5, slowThresholdMs / p95Ms)) : target
  return move(vendor, Math.min(target - stepSize, fair), `${why}: down`)
}

const keepHold = (vendor: Vendor): Decision | null =>
  vendor.state.holdUntil === null ? null : stay(vendor, `no change${describeHold(vendor)}`)

const standStill = (vendor: Vendor): Decision | null => {
  const { signals, target } = vendor
  if (failedOf(signals) > FAILED_SHARE * signals.finished) {
    return stay(vendor, `no change: failures never raise a target (${describeSignals(signals)})`)
  }
  if (signals.done < FEWEST_FINISHED) {
    return stay(vendor, `no change: ${signals.done} done, too few to go by (${describeSignals(signals)})`)
  }
  if (!isInUse(vendor)) {
    return stay(vendor, `no change: ${signals.goodSlots} of ${target} slots in use (${describeSignals(signals)})`)
  }
  return null
}

/** A clean window in full use proves its level. */
const learn = (vendor: Vendor): Vendor => ({
  ...vendor,
  state: {
    ...vendor.state,
    proven: Math.max(vendor.state.proven ?? 0, vendor.target),
    explored: vendor.state.explored || vendor.target === vendor.config.minConcurrency,
  },
})

/** All is well: judge the last step, then try more at once, and where that is not to be tried, fewer. */
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
 * A raise that lengthened the median took more than the portal bears at full speed: back to what it does bear, which is the target
 * over the stretch. A raise by factor f is worth nothing from a stretch of √f on: the greater part of it became waiting.
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
    `${target} at once are more than the portal bears at full speed: the median rose from ${trial.p50Ms} ms at ${trial.target} to ${p50Ms} ms; back to ${knee}`,
    { ceiling: knee, probeAt: signals.at + PROBE_SLOW_MS, proven: knee },
  )
}

/** How far a median may rise by chance: some tenth, and more where it stands on few tries. */
const tolerance = ({ done }: Signals): number => 0.1 + 1 / Math.sqrt(done)

/** The same the other way round: a cut that shortened the median by nearly as much as the target took nothing away. */
const judgeLowering = (vendor: Vendor, trial: Trial): Decision => {
  const { signals, state, target } = vendor
  const p50Ms = medianOf(signals)
  const gain = Math.max(1, trial.p50Ms / p50Ms)
  const knee = Math.min(Math.max(Math.round(trial.target / gain), target), trial.target)
  const learned =
    gain > 1 + tolerance(signals) ? { ceiling: knee, probeAt: signals.at + PROBE_SLOW_MS, proven: knee } : {}
  if (gain ** 2 > trial.target / target) {
    const wiser = knowing(vendor, { ...learned, trial: null })
    // At the least there is nothing below to look at.
    return state.explored ? raise(wiser) : lookBelow(wiser)
  }
  return move(
    vendor,
    Math.min(knee, state.ceiling ?? knee),
    `fewer at once did not help: the median went from ${trial.p50Ms} ms at ${trial.target} to ${p50Ms} ms at ${target}; back up`,
    { ...learned, explored: true },
  )
}

/** Halves, to learn what fewer at once would do. */
const lookBelow = (vendor: Vendor): Decision => {
  const { signals, target } = vendor
  const trial = { target, p50Ms: medianOf(signals) }
  const reason = `halved to learn whether ${target} at once are too many: median ${signals.p50Ms} ms`
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
  if (target >= maxConcurrency) return stayOrLookBelow(`${well}: already at the most`)
  const trial = state.trial ?? { target, p50Ms: medianOf(signals) }
  const ceiling = state.ceiling ?? maxConcurrency
  if (target < ceiling) {
    return move(vendor, Math.min(ceiling, Math.max(target + stepSize, target * 2)), `${well}: up`, { trial })
  }
  if (signals.at < (state.probeAt ?? 0)) {
    const when = new Date(state.probeAt ?? 0).toISOString()
    return stayOrLookBelow(`${well}: ${target} is the most that the portal bears; more is tried from ${when} on`)
  }
  const next = target + stepSize
  return move(vendor, next, `${well}: trying whether the portal bears more than ${target} by now`, {
    trial,
    ceiling: next,
  })
}

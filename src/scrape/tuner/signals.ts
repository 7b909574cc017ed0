import type { Signals } from '../../../core/sources/tuner'

/** A finished attempt, as in the table `scrape_attempts`. Times in ms. */
export interface Attempt {
  outcome: string
  endedAt: number
  durationMs: number
  retryAfterMs: number | null
}

/** The time span to evaluate: the window that ends at `at`, without attempts that started before `since`. */
export interface SignalSpan {
  at: number
  windowMs: number
  /** When the last change of the target took effect. */
  since: number
}

/**
 * Computes from attempts in memory what `listTunerRows` computes in SQL. For simulations. Attempts that started before `since` are ignored,
 * because they ran under another target. There are two exceptions: `goodSlots`, an average over time, counts the part of them after
 * `since`, and their Retry-After still applies.
 */
export const gatherSignals = (
  attempts: readonly Attempt[],
  { at, windowMs, since }: SignalSpan,
  slots: { running: number; queued: number },
): Signals => {
  const from = Math.max(at - windowMs, since)
  // One pass over the attempts: a simulated minute has tens of thousands.
  const counts = new Map<string, number>()
  const doneMs: number[] = []
  let [finished, goodMs, longestRetryMs] = [0, 0, 0]
  for (const { outcome, endedAt, durationMs, retryAfterMs } of attempts) {
    if (endedAt <= at - windowMs || endedAt > at) continue
    longestRetryMs = Math.max(longestRetryMs, endedAt + (retryAfterMs ?? 0) - at)
    if (endedAt <= from) continue
    if (outcome === 'done') goodMs += durationMs
    if (endedAt - durationMs < since) continue
    finished++
    if (outcome === 'done') doneMs.push(durationMs)
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  const count = (outcome: string) => counts.get(outcome) ?? 0
  // A typed array sorts numbers without a comparison function.
  const durations = Float64Array.from(doneMs).sort()
  const [done, notFound, throttled] = [durations.length, count('not_found'), count('throttled')]
  const [blocked, timeouts] = [count('blocked'), count('timeout')]
  return {
    at,
    finished,
    done,
    notFound,
    throttled,
    blocked,
    timeouts,
    otherFailures: finished - done - notFound - throttled - blocked - timeouts,
    retryAfterMs: longestRetryMs,
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
    goodSlots: at > from ? Math.round((goodMs / (at - from)) * 100) / 100 : 0,
    ...slots,
  }
}

/** A percentile of sorted values, computed like PostgreSQL's `percentile_disc`. */
const percentile = (sorted: Float64Array, share: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null

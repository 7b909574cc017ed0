/** An operator's settings for the tuner of one vendor's concurrency. */
export interface TunerSettings {
  minConcurrency: number
  maxConcurrency: number
  slowThresholdMs: number
  fastThresholdMs: number
  stepSize: number
  windowMs: number
}

/** A vendor's settings and its current target. */
export interface TunerConfig extends TunerSettings {
  mode: 'auto' | 'manual'
  targetConcurrency: number
}

/**
 * A Retry-After holds its vendor for at most an hour. It comes from one portal, which gets no requests for as long as it asked, up to a
 * day. The vendor's other portals must not wait for it.
 */
export const LONGEST_HOLD_MS = 3_600_000

/** Figures of a vendor's attempts in the last window. `at` is when they were gathered, in ms since 1970. */
export interface Signals {
  at: number
  /** Attempts that ended. */
  finished: number
  done: number
  /** The portal does not know the parcel. This is neither a success nor a failure of the portal. */
  notFound: number
  /** 429, or 503 with Retry-After. */
  throttled: number
  blocked: number
  timeouts: number
  /** All other failures. */
  otherFailures: number
  /** How much longer the portal asks us to wait, from `at`: the longest Retry-After of any attempt in the window, under any target. */
  retryAfterMs: number
  /** Duration of successful attempts; null when there were none. Failures say nothing about how fast a portal is. */
  p50Ms: number | null
  p95Ms: number | null
  /** How many slots did successful work, on average over the window: rate times duration (Little's law). */
  goodSlots: number
  running: number
  queued: number
}

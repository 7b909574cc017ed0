/** Settings that the tuner of concurrency follows, as an operator set them. */
export interface TunerSettings {
  minConcurrency: number
  maxConcurrency: number
  slowThresholdMs: number
  fastThresholdMs: number
  stepSize: number
  windowMs: number
}

/** A vendor's settings and its present target. */
export interface TunerConfig extends TunerSettings {
  mode: 'auto' | 'manual'
  targetConcurrency: number
}

/** What a vendor's tries of the last window tell. `at` is when they were gathered, in ms since 1970. */
export interface Signals {
  at: number
  /** Tries that ended. */
  finished: number
  done: number
  /** The portal answered that it does not know the parcel: neither a success nor a failure of the portal. */
  notFound: number
  /** 429, or 503 with Retry-After. */
  throttled: number
  blocked: number
  timeouts: number
  /** All other failures. */
  otherFailures: number
  /** How long the portal still asks to be left alone, counted from `at`: by any try of the window, under whatever target. */
  retryAfterMs: number
  /** Of tries that were done; null when there were none. Failures say nothing about how fast a portal works. */
  p50Ms: number | null
  p95Ms: number | null
  /** How many slots did work that succeeded, on average over the window: rate times duration (Little's law). */
  goodSlots: number
  running: number
  queued: number
}

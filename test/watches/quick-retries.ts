import { DRAIN_DEFAULTS, type DrainOptions } from '../../src/watches/drain-receiver'

/** Short pauses, and receivers on this machine. */
export const QUICK: DrainOptions = {
  ...DRAIN_DEFAULTS,
  userAgent: 'test',
  allowPrivate: true,
  turnMs: 2_000,
  firstRetryMs: 50,
  longestRetryMs: 1_000,
  firstHoldMs: 100,
  longestHoldMs: 500,
}

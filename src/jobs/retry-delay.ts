const FIRST_MS = 4_000
const FACTOR = 4
const LONGEST_MS = 86_400_000

/**
 * How long a job waits after its try number `tries` (from 1) failed: 4 s, 16 s, 64 s ..., each from half to one and a half times
 * as long, so that jobs that failed together do not come back together; never sooner than the portal asked for.
 */
export const retryDelayMs = (tries: number, retryAfterMs: number | null, random = Math.random): number => {
  const backoff = FIRST_MS * FACTOR ** (tries - 1) * (0.5 + random())
  return Math.round(Math.min(LONGEST_MS, Math.max(backoff, retryAfterMs ?? 0)))
}

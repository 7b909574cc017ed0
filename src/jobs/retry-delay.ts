const FIRST_MS = 4_000
const FACTOR = 4
const LONGEST_MS = 86_400_000

/**
 * How long a job backs off after failed attempt number `attempt` (from 1): 4 s, 16 s, 64 s ..., multiplied by a random factor from 0.5 to
 * 1.5 so that jobs that failed together do not retry together. Never shorter than the portal's Retry-After.
 */
export const retryDelayMs = (attempt: number, retryAfterMs: number | null): number => {
  const backoff = FIRST_MS * FACTOR ** (attempt - 1) * (0.5 + Math.random())
  return Math.round(Math.min(LONGEST_MS, Math.max(backoff, retryAfterMs ?? 0)))
}

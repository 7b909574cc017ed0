/** A longer one counts as a day: no retry waits longer, and in milliseconds it would not fit into PostgreSQL's `int`. */
const MAX_MS = 24 * 3_600_000

/** `Retry-After` in milliseconds from now: seconds, or an HTTP date (RFC 9110, 10.2.3). Null when absent or neither. */
export const readRetryAfter = (header: string | undefined): number | null => {
  const text = header?.trim() ?? ''
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : at - Date.now()
  return Number.isNaN(ms) ? null : Math.min(MAX_MS, Math.max(0, ms))
}

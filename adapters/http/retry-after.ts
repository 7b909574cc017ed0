/** `Retry-After` in milliseconds from now: seconds, or an HTTP date (RFC 9110, 10.2.3). Null when absent or neither. */
export const readRetryAfter = (header: string | undefined, now = Date.now()): number | null => {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/** A deadline that passes later than this shows that this process did not run when it was due. */
const LATE_MS = 50
const GRACE_MS = 100

/**
 * Calls `expire` after `ms`. If this process did not run at that time, because it was frozen or the machine was busy, it first gets a
 * moment to read what arrived meanwhile, so that it does not blame others for its own pause. The returned function cancels the deadline.
 */
export const setDeadline = (ms: number, expire: () => void): (() => void) => {
  const dueAt = performance.now() + ms
  let timer = setTimeout(() => {
    if (performance.now() < dueAt + LATE_MS) expire()
    else timer = setTimeout(expire, GRACE_MS)
  }, ms)
  return () => clearTimeout(timer)
}

/** What requests compute in one turn of the event loop, all of them together, ends soon after this time. */
const TURN_MS = 1

/** When the work of this turn of the loop has to end; null: none has begun. */
let turnEndsAt: number | null = null
let queue: Promise<void> = Promise.resolve()

/**
 * Waits until there is time for another piece of work, of half a millisecond or so. The answers that many requests wait for may
 * arrive together: each would hold the event loop for a moment only, one after the other for long.
 */
export const yieldToOthers = (): Promise<void> => {
  queue = queue.then(beginWork)
  return queue
}

const beginWork = async (): Promise<void> => {
  if (turnEndsAt !== null && performance.now() >= turnEndsAt) await new Promise((resolve) => setImmediate(resolve))
  if (turnEndsAt !== null) return
  turnEndsAt = performance.now() + TURN_MS
  setImmediate(() => {
    turnEndsAt = null
  })
}

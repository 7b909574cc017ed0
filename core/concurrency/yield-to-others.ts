/** How long all requests together can compute in one turn of the event loop. */
const TURN_MS = 1

/** When the current turn must end; null: no turn has started. */
let turnEndsAt: number | null = null
let queue: Promise<void> = Promise.resolve()

/**
 * Waits until there is time for another piece of work of about half a millisecond. The answers to many requests may arrive together.
 * Each one blocks the event loop only briefly, but one after the other they would block it for long.
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

/** While its server is away, whoever asks it fails several times a second, some hundred times for a queue. */
const TELL_EVERY_MS = 10_000

/** Tells the first of many errors, and then one in a while, with how many there were since. */
export const tellNowAndThen = (
  tell: (error: unknown, times: number) => void,
  everyMs = TELL_EVERY_MS,
): ((error: unknown) => void) => {
  let toldAt = Number.NEGATIVE_INFINITY
  let times = 0
  return (error) => {
    times++
    if (performance.now() - toldAt < everyMs) return
    tell(error, times)
    toldAt = performance.now()
    times = 0
  }
}

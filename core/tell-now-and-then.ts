/** While a server is away, its clients fail several times a second, and a queue about a hundred times a second. */
const TELL_EVERY_MS = 10_000

/** Reports the first of many errors, and then at most one per `everyMs`, with the number of errors after the last report. */
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

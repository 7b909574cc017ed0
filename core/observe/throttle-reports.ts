import { atMostEvery } from '../concurrency/at-most-every'

/** While a server is unavailable, its clients fail several times a second, and a queue about 100 times a second. */
const REPORT_EVERY_MS = 10_000

/** Reports the first of many errors, and then at most one per `everyMs`, with the number of errors after the last report. */
export const throttleReports = (
  report: (error: unknown, times: number) => void,
  everyMs = REPORT_EVERY_MS,
): ((error: unknown) => void) => {
  const isDue = atMostEvery(everyMs)
  let times = 0
  return (error) => {
    times++
    if (!isDue()) return
    report(error, times)
    times = 0
  }
}

const MINUTES = 60
const MINUTE_MS = 60_000
/** Durations are counted in classes. Each is a tenth wider than the previous one, so percentiles are exact to 10%. */
const LOWEST_MS = 0.1
const RATIO = 1.1
const CLASSES = 150

/** How long requests took in the last hour, in this process. */
export interface LatencyWindow {
  observe: (ms: number) => void
  /** Percentiles in ms; null if there were no requests. */
  read: () => { requests: number; p50: number | null; p95: number | null }
}

/** Counts durations by minute and forgets them after an hour. It takes 36 KB, however many requests there are. */
export const createLatencyWindow = (now: () => number = Date.now): LatencyWindow => {
  const counts = Array.from({ length: MINUTES }, () => new Uint32Array(CLASSES))
  const minutes = new Float64Array(MINUTES)

  return {
    observe(ms) {
      const minute = Math.floor(now() / MINUTE_MS)
      const slot = minute % MINUTES
      const inMinute = counts[slot] as Uint32Array
      if (minutes[slot] !== minute) {
        minutes[slot] = minute
        inMinute.fill(0)
      }
      const index = ms <= LOWEST_MS ? 0 : Math.ceil(Math.log(ms / LOWEST_MS) / Math.log(RATIO))
      const within = Math.min(index, CLASSES - 1)
      inMinute[within] = (inMinute[within] ?? 0) + 1
    },
    read() {
      const oldest = Math.floor(now() / MINUTE_MS) - MINUTES
      const sums = new Float64Array(CLASSES)
      for (const [slot, inMinute] of counts.entries()) {
        if ((minutes[slot] ?? 0) <= oldest) continue
        for (const [index, count] of inMinute.entries()) sums[index] = (sums[index] ?? 0) + count
      }
      const requests = sums.reduce((total, count) => total + count, 0)
      return { requests, p50: percentile(sums, requests * 0.5), p95: percentile(sums, requests * 0.95) }
    },
  }
}

/** The upper limit of the class that contains the request with this rank. */
const percentile = (sums: Float64Array, rank: number): number | null => {
  let below = 0
  for (const [index, count] of sums.entries()) {
    below += count
    if (count > 0 && below >= rank) return Number((LOWEST_MS * RATIO ** index).toPrecision(2))
  }
  return null
}

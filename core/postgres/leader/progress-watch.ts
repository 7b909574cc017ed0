/** Notices that a leader has hung: its work makes no progress, although its lease is renewed. */
export interface ProgressWatch {
  /** The work made progress now. */
  isAtWork: () => void
  /** A renewal that was sent at this time failed. If its connection is dead, those that the work uses may be dead too. */
  suspect: (since: number) => void
  hasHung: () => boolean
}

/** A leader without progress for this long has hung. */
export const PATIENCE_MS = 30_000
/** A suspected leader must show progress within this time. */
const SUSPICION_MS = 4_000

/** `workedAt`: when the lead began. Times are from `performance.now()`. */
export const createProgressWatch = (workedAt: number, patienceMs: number): ProgressWatch => {
  let lastWorkedAt = workedAt
  /** When a failed renewal was sent, if the work has shown no progress since. */
  let suspectSince: number | null = null

  return {
    isAtWork() {
      lastWorkedAt = performance.now()
    },
    suspect(since) {
      suspectSince ??= since
    },
    hasHung() {
      const now = performance.now()
      if (suspectSince !== null && lastWorkedAt > suspectSince) suspectSince = null
      // Work with a longer `patienceMs`, such as a build, can go without progress for longer.
      if (suspectSince !== null && patienceMs <= PATIENCE_MS && now - suspectSince > SUSPICION_MS) return true
      return now - lastWorkedAt > patienceMs
    },
  }
}

export interface Alarm {
  ring: () => void
  /** Waits for a ring, for `timeoutMs` at most. Returns immediately if it rang after the last wait. False: the time is over. */
  wait: (timeoutMs: number) => Promise<boolean>
}

/** An alarm for one waiter. A ring while nobody waits ends the next wait. */
export const createAlarm = (): Alarm => {
  let rang = false
  let wake = () => {}
  return {
    ring: () => {
      rang = true
      wake()
    },
    wait: async (timeoutMs) => {
      if (!rang) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      const hasRung = rang
      rang = false
      return hasRung
    },
  }
}

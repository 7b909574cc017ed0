export interface Alarm {
  ring: () => void
  /** Until it rings, `timeoutMs` at most; at once when it rang since the last wait. */
  wait: (timeoutMs: number) => Promise<void>
}

/** Something to wait for that is not missed when it rings while nobody waits. */
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
      rang = false
    },
  }
}

/** Something to wait for that rings at once when it rang while nobody waited. */
export const createAlarm = () => {
  let rang = false
  let awake: (() => void) | null = null
  return {
    ring: () => {
      rang = true
      awake?.()
    },
    wait: async (timeoutMs: number): Promise<void> => {
      if (!rang) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          awake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      awake = null
      rang = false
    },
  }
}

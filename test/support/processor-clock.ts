/** Returns a clock of the processor time, in ms, that all threads of this process have taken since. Other work on the machine does not count. */
export const startProcessorClock = (): (() => number) => {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
}

import { cpus } from 'node:os'

/** Returns a function that returns the share of processor time that was idle since its last call. */
export const watchIdleShare = (): (() => number) => {
  let before = readTimes()
  return () => {
    const now = readTimes()
    const passed = now.all - before.all
    const share = passed === 0 ? 0 : (now.idle - before.idle) / passed
    before = now
    return share
  }
}

const readTimes = (): { idle: number; all: number } =>
  cpus().reduce(
    ({ idle, all }, { times }) => ({
      idle: idle + times.idle,
      all: all + times.user + times.nice + times.sys + times.irq + times.idle,
    }),
    { idle: 0, all: 0 },
  )

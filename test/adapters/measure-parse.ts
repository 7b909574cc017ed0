import { readFileSync } from 'node:fs'
import { ScrapeError } from '../../adapters/scrape-error'

export interface Measured {
  /** `read`, or the code of what it was refused with. */
  outcome: string
  /** Of the processor, all threads together: others may be at work on the machine. */
  ms: number
  /** The most that the whole process ever held (VmHWM), Bun itself included. */
  peakMb: number
}

/** What a parse takes. For a process of its own: memory adds up, and code that has run before is faster. */
export const measureParse = (parse: () => unknown): Measured => {
  const before = process.cpuUsage()
  let outcome = 'read'
  try {
    parse()
  } catch (error) {
    outcome = error instanceof ScrapeError ? error.code : String(error)
  }
  const { user, system } = process.cpuUsage(before)
  const peakKb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
  return { outcome, ms: (user + system) / 1_000, peakMb: peakKb / 1024 }
}

import { readFileSync, writeFileSync } from 'node:fs'
import { ScrapeError } from '../../../adapters/scrape-error'
import { startProcessorClock } from '../../support/processor-clock'

export interface Measured {
  /** `read`, or the code of the refusal. */
  outcome: string
  /** Processor time of all threads, so that other work on the machine does not count. */
  ms: number
  /** Peak memory of the whole process (VmHWM), including Bun itself. */
  peakMb: number
}

/**
 * Measures a parse. Memory of earlier parses counts too, unless the garbage collector has freed it. Code that has run before is faster, so
 * measure the most expensive pages first.
 */
export const measureParse = (parse: () => unknown): Measured => {
  Bun.gc(true)
  // The peak starts again from here (proc_pid_clear_refs(5)).
  writeFileSync('/proc/self/clear_refs', '5')
  const processorMs = startProcessorClock()
  let outcome = 'read'
  try {
    parse()
  } catch (error) {
    outcome = error instanceof ScrapeError ? error.code : String(error)
  }
  const ms = processorMs()
  const peakKb = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
  return { outcome, ms, peakMb: peakKb / 1024 }
}

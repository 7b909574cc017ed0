import { readFileSync } from 'node:fs'

/* What another process uses, by /proc. On systems without it, everything is 0. */

const PAGE_BYTES = 4096
/** Linux counts processor time in ticks of 10 ms on all processors that the service runs on (`getconf CLK_TCK`). */
const TICK_MS = 10

/** Memory of the whole process, in bytes; 0 if unknown. */
export const memoryOf = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
  } catch {
    return 0
  }
}

/** Processor time that the process has taken, in ms; 0 if unknown. */
export const processorMsOf = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in brackets, may contain spaces. The fields after it: proc_pid_stat(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return 0
  }
}

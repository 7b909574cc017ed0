import { readFileSync } from 'node:fs'

/** Processor time of a process in ms. The clock of `/proc` ticks every 10 ms. */
export const processorMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

import { existsSync, readFileSync } from 'node:fs'
import { listProcesses } from '../runner/descendants'

/** Processor time of a process in ms. The clock of `/proc` ticks every 10 ms. */
export const processorMs = (pid: number): number => {
  const [own = 0] = readTimes(pid)
  return own
}

/** Processor time of a process and of its children in ms, also of those that ended. */
export const processorMsOfFamily = (pid: number): number => {
  const [own = 0, ended = 0] = readTimes(pid)
  const children = [...listProcesses()].filter(([, { parent }]) => parent === pid)
  return children.reduce((sum, [child]) => sum + (existsSync(`/proc/${child}`) ? processorMs(child) : 0), own + ended)
}

/** Of the process, and of its children that ended, in ms. */
const readTimes = (pid: number): number[] => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return [Number(fields[11]) + Number(fields[12]), Number(fields[13]) + Number(fields[14])].map((ticks) => ticks * 10)
}

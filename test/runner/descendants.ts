import { readdirSync, readFileSync } from 'node:fs'

interface Process {
  parent: number
  /** In clock ticks since the system started. Together with the pid it identifies a process, because the system reuses pids. */
  startedAt: string
}

/** All processes of the system, by pid. Empty where there is no /proc. It takes 5 ms. */
export const listProcesses = (): Map<number, Process> => {
  const processes = new Map<number, Process>()
  if (process.platform !== 'linux') return processes
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    try {
      // The fields after the name, which is in parentheses and may contain anything (proc_pid_stat(5)).
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
      processes.set(pid, { parent: Number(fields[1]), startedAt: fields[19] ?? '' })
    } catch {
      // It has ended.
    }
  }
  return processes
}

/**
 * Remembers the descendants of a process, because those whose parent has ended can no longer be traced to it. A process may have
 * cleaned its environment or started its own session, so neither shows whose it is.
 */
export const rememberDescendants = (root: number) => {
  const known = new Map<number, string>()
  const look = (processes = listProcesses()): Map<number, Process> => {
    const isKnown = (pid: number) => known.has(pid) && known.get(pid) === processes.get(pid)?.startedAt
    for (let found = -1; found !== known.size; ) {
      found = known.size
      for (const [pid, { parent, startedAt }] of processes) {
        if (parent === root || isKnown(parent)) known.set(pid, startedAt)
      }
    }
    return processes
  }
  return {
    /** Call it repeatedly while the root runs. */
    look,
    /** Sends a signal to the descendants that still run. */
    signal: (name: NodeJS.Signals) => {
      const processes = look()
      for (const [pid, startedAt] of known) {
        if (processes.get(pid)?.startedAt !== startedAt) continue
        try {
          process.kill(pid, name)
        } catch {
          // It has ended.
        }
      }
    },
  }
}

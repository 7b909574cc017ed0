import { existsSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { formatGb, readMemoryLimit } from '../../../core/memory-limit'
import { ServiceError } from '../../../core/service-error'

/** A server that this process started and must stop. */
export interface Child {
  readonly pid: number
  /** Settles when the process has ended, with its exit code. */
  readonly exited: Promise<number>
  kill: (signal: NodeJS.Signals) => void
}

/** Below the range that Linux uses for outgoing connections (32768 and up), because one of those could take the port first. */
const PORTS = { first: 20_000, last: 32_767 }

/** A TCP port of the loopback interface that is free right now. */
export const findFreePort = async (): Promise<number> => {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * (PORTS.last - PORTS.first + 1))
    if (await isFree(port)) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

/**
 * Starts a server in its own session, so that Ctrl-C reaches only this process, which then stops the servers in order.
 * Output goes to `logFile`.
 */
export const spawnServer = (
  command: string[],
  options: { logFile: string; cwd?: string; env?: Record<string, string> },
): Child => {
  // Bun writes over the beginning of the file, and the end would be that of an earlier run.
  writeFileSync(options.logFile, '')
  const log = Bun.file(options.logFile)
  const child = Bun.spawn(command, {
    stdin: 'ignore',
    stdout: log,
    stderr: log,
    detached: true,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: options.env ?? process.env,
  })
  child.unref()
  return { pid: child.pid, exited: child.exited, kill: (signal) => child.kill(signal) }
}

const SAY_EVERY_MS = 5_000

/**
 * Waits until `probe` returns true, and says every few seconds that it waits, with the end of the server's log. Fails early when the server
 * exits first.
 */
export const waitUntilReady = async (
  name: string,
  child: Child,
  options: { probe: () => Promise<boolean>; timeoutMs: number; logFile: string; say?: (line: string) => void },
): Promise<void> => {
  let ended: number | undefined
  child.exited.then((code) => {
    ended = code
  })
  const deadline = performance.now() + options.timeoutMs
  let saysAt = performance.now() + SAY_EVERY_MS
  while (performance.now() < deadline) {
    if (await options.probe()) return
    if (ended !== undefined) {
      throw new ServiceError(
        'embedded_failed',
        `${name} ${describeEnd(ended)} while starting: ${lastLines(options.logFile)}`,
      )
    }
    if (performance.now() >= saysAt) {
      options.say?.(`Waiting for ${name} to accept connections: ${lastLines(options.logFile)}`)
      saysAt += SAY_EVERY_MS
    }
    await Bun.sleep(20)
  }
  throw new ServiceError(
    'embedded_failed',
    `${name} was not ready within ${options.timeoutMs} ms: ${lastLines(options.logFile)}`,
  )
}

/** Resolves when the server exits, with a sentence that has the end of its log: only the log knows, for example, that the disk is full. */
export const describeExit = async (name: string, child: Child, logFile: string): Promise<string> =>
  `the embedded ${name} ${describeEnd(await child.exited)}. Its log ends: ${lastLines(logFile)}`

/** The exit code of a process that was killed with SIGKILL. The kernel does this when memory runs out. */
export const KILLED = 137

const describeEnd = (code: number): string =>
  code === KILLED
    ? `was killed (SIGKILL), as the system does when memory runs out (here ${formatGb(readMemoryLimit())}; docs/operate.md, "Memory", says how much is needed)`
    : `exited with code ${code}`

/** Sends `signal`, and kills the process if it is still running after `graceMs`. */
export const stopChild = async (child: Child, signal: NodeJS.Signals, graceMs: number): Promise<void> => {
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await child.exited
  clearTimeout(timer)
}

/**
 * Ends a server that is still running after the process that started it was killed. It must work in `dir` or have it in its command line,
 * because the system may have given the pid to another process, and a copied folder contains the pid of the original's server.
 * Waits until it has ended.
 */
export const stopOrphan = async (pid: number, dir: string, signal: NodeJS.Signals): Promise<void> => {
  const isOurs = () => isAlive(pid) && (readCommandLine(pid).includes(`${dir}/`) || worksIn(pid, dir))
  if (!isOurs()) return
  for (const [attempt, graceMs] of [
    [signal, 15_000],
    ['SIGKILL', 5_000],
  ] as const) {
    process.kill(pid, attempt)
    const deadline = performance.now() + graceMs
    while (performance.now() < deadline) {
      if (!isOurs()) return
      await Bun.sleep(20)
    }
  }
  throw new ServiceError('embedded_failed', `process ${pid}, left over from an earlier run, does not exit`)
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Whether the process's working directory is `dir`, even if the folder was moved. False if the system does not say. */
const worksIn = (pid: number, dir: string): boolean => {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dir)
  } catch {
    return false
  }
}

/** The command line of a process, words separated by spaces; empty if there is no such process. */
export const readCommandLine = (pid: number): string => {
  if (existsSync(`/proc/${pid}/cmdline`)) {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    } catch {
      return ''
    }
  }
  return Bun.spawnSync(['ps', '-o', 'command=', '-p', String(pid)]).stdout.toString()
}

/** The error in a log: the lines with an error, or else the last lines. */
const lastLines = (logFile: string): string => {
  try {
    const lines = readFileSync(logFile, 'utf8').trim().split('\n')
    // PostgreSQL also writes FATAL for each connection that is too early.
    const errors = lines.filter((line) =>
      /^error:|\b(?:FATAL|PANIC):(?! +the database system is )|\bpanicked at\b/i.test(line),
    )
    return (errors.length > 0 ? errors.slice(-3) : lines.slice(-5)).join(' | ')
  } catch {
    return 'its log is empty'
  }
}

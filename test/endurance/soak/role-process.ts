import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../../src/operations/embedded/child'
import type { Role } from '../../../src/roles/role'
import { commandOf } from '../../runner/programs'
import { waitFor } from '../../support/servers'

export interface RoleProcess {
  readonly name: string
  readonly role: Role
  /** The URL of the API. Null for other roles. */
  readonly url: string | null
  readonly logFile: string
  /** Whether it was down at any moment since `time` (`performance.now`). */
  wasAwaySince: (time: number) => boolean
  /** The result of its readiness check. */
  isReady: () => Promise<boolean>
  /** Starts it and waits until it is ready. */
  start: () => Promise<void>
  /** Waits until the process has ended. Returns its exit code, or null if there was no process. */
  kill: (signal: 'SIGKILL' | 'SIGTERM') => Promise<number | null>
  /** Suspends the process (SIGSTOP) with its connections open, until `thaw`. */
  freeze: () => void
  thaw: () => void
  /** Resident memory in MB, and the age of the process. Null while there is no process. */
  memory: () => { mb: number; ageMs: number } | null
}

const READY_MS = 60_000

/** One process of the service. It keeps its ports across restarts. Calls `onDeath` when the process ends by itself. */
export const createRoleProcess = async (
  name: string,
  role: Role,
  { dir, env, onDeath }: { dir: string; env: Record<string, string>; onDeath: (what: string) => void },
): Promise<RoleProcess> => {
  const [port, metricsPort] = [await findFreePort(), await findFreePort()]
  const logFile = join(dir, `${name}.log`)
  let child: Bun.Subprocess | null = null
  let startedAt = 0
  let readyAt = Number.POSITIVE_INFINITY

  const isReady = () =>
    fetch(`http://127.0.0.1:${metricsPort}/ready`).then(
      ({ ok }) => ok,
      () => false,
    )

  return {
    name,
    role,
    url: role === 'api' ? `http://127.0.0.1:${port}` : null,
    logFile,
    isReady,
    wasAwaySince: (time) => child === null || readyAt > time,
    async start() {
      const log = openSync(logFile, 'a')
      const started = Bun.spawn(commandOf('src/main.ts', role), {
        stdio: ['ignore', log, log],
        env: {
          ...(process.env as Record<string, string>),
          ...env,
          PORT: String(port),
          METRICS_PORT: String(metricsPort),
          DATA_DIR: join(dir, name),
        },
      })
      closeSync(log)
      child = started
      startedAt = performance.now()
      readyAt = Number.POSITIVE_INFINITY
      started.exited.then((code) => {
        if (child === started) onDeath(`${name} ended by itself with code ${code}`)
      })
      await waitFor(async () => child !== started || (await isReady()), READY_MS)
      readyAt = performance.now()
    },
    async kill(signal) {
      const ending = child
      if (ending === null) return null
      child = null
      // A suspended process handles no signal but SIGKILL.
      ending.kill('SIGCONT')
      ending.kill(signal)
      return await ending.exited
    },
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    memory() {
      if (child === null) return null
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
        const mb = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_000
        return Number.isFinite(mb) ? { mb, ageMs: performance.now() - startedAt } : null
      } catch {
        return null
      }
    },
  }
}

import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../../src/embedded/child'
import type { Role } from '../../src/roles/role'
import { waitFor } from '../servers'

export interface RoleProcess {
  readonly name: string
  readonly role: Role
  /** Where the API answers; null for other roles. */
  readonly url: string | null
  readonly logFile: string
  /** Whether it was away at any moment since then (`performance.now`). */
  wasAwaySince: (time: number) => boolean
  /** What it answers to health checks. */
  isReady: () => Promise<boolean>
  /** Waits until it says that it is ready. */
  start: () => Promise<void>
  /** Waits until the process has ended; its exit code, or null if there was none. */
  kill: (signal: 'SIGKILL' | 'SIGTERM') => Promise<number | null>
  /** Stops the process where it stands (SIGSTOP), connections and all, until `thaw`. */
  freeze: () => void
  thaw: () => void
  /** Resident memory in MB, and for how long this process has run. Null while there is none. */
  memory: () => { mb: number; ageMs: number } | null
}

const READY_MS = 60_000

/** One process of the service, on ports of its own that it keeps over restarts. One that ends by itself is told to `onDeath`. */
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
      const started = Bun.spawn(['bun', 'src/main.ts', role], {
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
      // A frozen process takes no signal but SIGKILL.
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

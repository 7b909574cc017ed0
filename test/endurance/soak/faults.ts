import type { Load } from './load'
import type { RoleProcess } from './role-process'
import type { Servers } from './servers'
import type { Witness } from './witness'

interface FaultPlan {
  name: string
  /** Breaks something, and repairs it. */
  run: () => Promise<void>
}

/** How long a crashed role waits before it is restarted. */
const RESTART_MS = 1_000
/** Callers wait for a lock; a longer one would leave their requests hanging. */
const LOCK_MS = 4_000
const STOPPED_MS = 300
const RUNNING_MS = 100

/** The faults of a run, in this order. `lastsMs`: how long a server stays down. */
export const planFaults = (
  servers: Servers,
  roles: readonly RoleProcess[],
  load: Load,
  { lastsMs, jobs }: { lastsMs: number; jobs: number },
): FaultPlan[] => {
  const { sql } = servers
  const killRole = (role: RoleProcess): FaultPlan => ({
    name: `kill -9 ${role.name}`,
    run: async () => {
      await role.kill('SIGKILL')
      await Bun.sleep(RESTART_MS)
      await role.start()
    },
  })
  const away = (name: string, stop: () => Promise<void>, start: () => Promise<void>): FaultPlan => ({
    name: `${name} down for ${lastsMs / 1_000} s`,
    run: async () => {
      await stop()
      await Bun.sleep(lastsMs)
      await start()
    },
  })
  const breakReplica = ({ name, stop, start, freeze, thaw }: NonNullable<Servers['replica']>): FaultPlan[] => [
    away(name, stop, start),
    {
      name: `${name} frozen for ${lastsMs / 1_000} s`,
      run: async () => {
        freeze()
        await Bun.sleep(lastsMs)
        thaw()
      },
    },
  ]
  const backends = async (): Promise<number[]> => {
    const rows = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where backend_type = 'client backend' and application_name <> 'soak'`
    return rows.map(({ pid }) => pid)
  }

  const fillQueue: FaultPlan = { name: `${jobs} jobs queued at once`, run: () => load.queueMany(jobs) }
  const lockTable: FaultPlan = {
    name: `parcels locked for ${LOCK_MS / 1_000} s`,
    run: async () => {
      await sql.begin(async (tx) => {
        await tx`lock table parcels in access exclusive mode`
        await tx`select pg_sleep(${LOCK_MS / 1_000})`
      })
    },
  }
  /** Every session stands still for three quarters of the time. */
  const slowPostgres: FaultPlan = {
    name: `PostgreSQL slow for ${lastsMs / 1_000} s`,
    run: async () => {
      const until = performance.now() + lastsMs
      while (performance.now() < until) {
        const pids = await backends()
        for (const pid of pids) signal(pid, 'SIGSTOP')
        try {
          await Bun.sleep(STOPPED_MS)
        } finally {
          for (const pid of pids) signal(pid, 'SIGCONT')
        }
        await Bun.sleep(RUNNING_MS)
      }
    },
  }
  /** The death of one of its processes makes the server end all sessions and recover from its log. */
  const crashPostgres: FaultPlan = {
    name: 'PostgreSQL crashed',
    run: async () => {
      const [pid] = await backends()
      if (pid !== undefined) signal(pid, 'SIGKILL')
    },
  }

  const [first, ...others] = roles.map(killRole)
  return [
    ...(first === undefined ? [] : [first]),
    ...servers.meilis.map(({ name, stop, start }) => away(name, stop, start)),
    ...(servers.replica === null ? [] : breakReplica(servers.replica)),
    fillQueue,
    away('Redis', servers.stopRedis, servers.startRedis),
    ...others,
    lockTable,
    slowPostgres,
    crashPostgres,
  ]
}

/** Breaks one after another, `everyMs` from start to start if possible; a fault that cannot be repaired is a violation. */
export const injectFaults = async (
  plans: readonly FaultPlan[],
  witness: Witness,
  { everyMs, say }: { everyMs: number; say: (line: string) => void },
): Promise<void> => {
  for (const { name, run } of plans) {
    const startedAt = performance.now()
    const end = witness.beginFault(name)
    say(`fault: ${name}`)
    try {
      await run()
    } catch (error) {
      witness.violate(`${name}: not repaired`, String(error))
    }
    end()
    await Bun.sleep(Math.max(0, startedAt + everyMs - performance.now()))
  }
}

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // The session has already ended.
  }
}

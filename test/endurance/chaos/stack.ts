import { readFileSync } from 'node:fs'
import { sampleParcels } from '../../../dev/sample-county/county'
import type { Role } from '../../../src/roles/role'
import { enqueue } from '../../jobs/job-rows'
import { audit, type Verdict, waitUntilIndexed, waitUntilQuiet } from '../soak/audit'
import { ADMIN_KEY } from '../soak/load'
import { takeNotes } from '../soak/notes'
import { createRoleProcess, type RoleProcess } from '../soak/role-process'
import { SAMPLE, type Servers, type SharedStorage, sourceOf, startServers } from '../soak/servers'
import { startProxy, type TcpProxy } from './proxy'
import type { Scenario } from './scenario'

export type ServerName = 'postgres' | 'redis' | 'meilisearch'

/** A process of the service. It reaches each server through its own proxy. */
export type ChaosRole = RoleProcess & { links: Record<ServerName, TcpProxy> }

/** How long something took to work again after a fault. */
export interface Recovery {
  what: string
  ms: number
  withinMs: number
}

export interface Stack {
  servers: Servers
  /** A direct connection to PostgreSQL, without a proxy. */
  sql: Servers['sql']
  roles: readonly ChaosRole[]
  /** By name: `api`, or `worker-1` where the scenario runs several. */
  role: (name: string) => ChaosRole
  /** Freezes a server with all its processes (SIGSTOP). */
  freeze: (server: ServerName) => void
  thaw: (server: ServerName) => void
  /** A request to the first API process, with an admin key; it fails after 70 s without an answer. */
  call: (path: string, init?: RequestInit) => Promise<Response>
  /** Queues jobs for this many sample parcels that no earlier call has queued, and returns the jobs' ids. */
  queue: (jobs: number) => Promise<string[]>
  /** How many jobs have ended since the scenario began. */
  countEnded: () => Promise<number>
  /** Waits until `condition` holds and notes how long that took. Throws after `withinMs`. Errors count as "not yet". */
  recovers: (what: string, condition: () => Promise<boolean> | boolean, withinMs: number) => Promise<void>
  say: (line: string) => void
}

export interface Outcome {
  recoveries: Recovery[]
  findings: Verdict[]
  /** Where the logs of the roles are. They are kept if anything failed. */
  dir: string
}

const CALL_TIMEOUT_MS = 70_000
const POLL_MS = 50

/**
 * With shared servers, other tests use the processors too. `bun run chaos` runs alone, so it applies the limits of the scenarios unchanged.
 */
const PATIENCE_BESIDE_TESTS = 3

/** Starts real servers, unless they are `shared`, and the scenario's processes, runs it, then audits what must hold. */
export const runScenario = async (
  name: string,
  scenario: Scenario,
  {
    say = () => {},
    keep = false,
    shared,
  }: { say?: (line: string) => void; keep?: boolean; shared?: SharedStorage } = {},
): Promise<Outcome> => {
  const patience = shared === undefined ? 1 : PATIENCE_BESIDE_TESTS
  const servers = await startServers(`chaos-${name}`, { shared })
  const { dir, sql } = servers
  const proxies: TcpProxy[] = []
  const roles: ChaosRole[] = []
  const recoveries: Recovery[] = []
  const findings: Verdict[] = []
  const jobIds = new Set<string>()
  const violate = (check: string, detail: string) => findings.push({ check, passed: false, detail })

  const startRole = async (roleName: string, role: Role): Promise<ChaosRole> => {
    const { port: meiliPort } = new URL(servers.meili.url)
    const [postgres, redis, meilisearch] = await Promise.all(
      [new URL(servers.databaseUrl).port, new URL(servers.redisUrl).port, meiliPort].map((port) =>
        startProxy(Number(port)),
      ),
    )
    if (!postgres || !redis || !meilisearch) throw new Error('a proxy is missing')
    proxies.push(postgres, redis, meilisearch)
    const env = {
      DATABASE_URL: postgres.through(servers.databaseUrl),
      MEILI_URL: meilisearch.through(servers.meili.url),
      MEILI_MASTER_KEY: servers.meili.masterKey,
      REDIS_URL: redis.through(servers.redisUrl),
      // Not the name of a role, whose folder is beside it.
      TILES_URL: `${dir}/archives`,
      HOST: '127.0.0.1',
      ALLOW_PRIVATE_SOURCES: '1',
      LOG_LEVEL: 'info',
      SERVICE_API_KEYS: JSON.stringify({ [ADMIN_KEY]: { capabilities: ['admin'] } }),
      ...scenario.env,
    }
    const onDeath = (what: string) => violate('no process ends by itself', what)
    // The process is the first object, so that its methods keep working on its state.
    return Object.assign(await createRoleProcess(roleName, role, { dir, env, onDeath }), {
      links: { postgres, redis, meilisearch },
    })
  }

  const signalServer = (server: ServerName, signal: 'SIGSTOP' | 'SIGCONT'): void => {
    const serverPid = servers.pids()[server]
    if (serverPid === undefined) throw new Error(`other tests use this ${server} too: it cannot be frozen`)
    for (const pid of processTree(serverPid)) {
      try {
        process.kill(pid, signal)
      } catch {
        // A session of PostgreSQL that has ended meanwhile.
      }
    }
  }

  let queued = 0
  const queue = async (jobs: number): Promise<string[]> => {
    const wanted = Map.groupBy(
      [...sampleParcels({ parcels: Math.max(SAMPLE.parcels, queued + jobs) })].entries().drop(queued).take(jobs),
      ([index]) => sourceOf(index),
    )
    queued += jobs
    const ids: string[] = []
    for (const [source, parcels] of wanted) {
      const sourceParcelIds = parcels.map(([, { sourceParcelId }]) => sourceParcelId)
      ids.push(...(await enqueue(sql, source, sourceParcelIds)))
    }
    for (const id of ids) jobIds.add(id)
    return ids
  }

  const recovers: Stack['recovers'] = async (what, condition, aloneMs) => {
    const withinMs = aloneMs * patience
    const startedAt = performance.now()
    for (;;) {
      const holds = await Promise.resolve()
        .then(condition)
        .catch(() => false)
      const ms = performance.now() - startedAt
      if (holds) {
        recoveries.push({ what, ms, withinMs })
        say(`${what}: ${(ms / 1_000).toFixed(1)} s`)
        return
      }
      if (ms > withinMs) throw new Error(`not within ${withinMs / 1_000} s: ${what}`)
      await Bun.sleep(POLL_MS)
    }
  }

  const settle = async (): Promise<void> => {
    for (const server of Object.keys(servers.pids()) as ServerName[]) signalServer(server, 'SIGCONT')
    for (const { thaw } of roles) thaw()
    for (const proxy of proxies) proxy.pass()
  }

  try {
    await takeNotes(sql)
    for (const [roleName, role] of nameRoles(scenario.roles)) roles.push(await startRole(roleName, role))
    await Promise.all(roles.map((role) => role.start()))
    const hasSync = scenario.roles.includes('sync')
    if (hasSync && scenario.roles.includes('api')) await waitUntilIndexed(servers, roles)

    const stack: Stack = {
      servers,
      sql,
      roles,
      role: (wanted) => {
        const found = roles.find((role) => role.name === wanted)
        if (found === undefined) throw new Error(`this scenario runs no process ${wanted}`)
        return found
      },
      freeze: (server) => signalServer(server, 'SIGSTOP'),
      thaw: (server) => signalServer(server, 'SIGCONT'),
      call: (path, init = {}) =>
        fetch(`${roles.find(({ url }) => url !== null)?.url}${path}`, {
          signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
          ...init,
          headers: { 'x-service-key': ADMIN_KEY, ...(init.headers as Record<string, string>) },
        }),
      queue,
      countEnded: async () => {
        const [row] = await sql<{ ended: number }[]>`select count(*)::int as ended from soak_ended`
        return row?.ended ?? 0
      },
      recovers,
      say,
    }
    try {
      await scenario.run(stack)
    } catch (error) {
      violate('the scenario runs to its end', error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
    await settle()
    const left = await waitUntilQuiet(servers, say, { hasSync })
    if (left !== null) violate('all work is done', left)
    findings.push(...(await audit(servers, roles, { jobIds }, scenario.expectedErrors)))
    for (const role of roles) {
      const code = await role.kill('SIGTERM')
      if (code !== 0) violate('a process that is told to stop exits with code 0', `${role.name}: ${code}`)
    }
  } finally {
    await settle()
    await Promise.all(roles.map((role) => role.kill('SIGKILL')))
    for (const proxy of proxies) await proxy.stop()
    await servers.stop({ keep: keep || findings.some(({ passed }) => !passed) })
  }
  return { recoveries, findings, dir }
}

/** `api`, or `worker-1` and `worker-2` where a role is named more than once. */
const nameRoles = (roles: readonly Role[]): [name: string, role: Role][] =>
  roles.map((role, index) => {
    const isAlone = roles.filter((other) => other === role).length === 1
    return [isAlone ? role : `${role}-${roles.slice(0, index + 1).filter((other) => other === role).length}`, role]
  })

/** A process and all its descendants, the parent first: a frozen parent starts no more children. Linux only. */
const processTree = (pid: number): number[] => {
  let children: number[] = []
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    // It has ended.
  }
  return [pid, ...children.flatMap(processTree)]
}

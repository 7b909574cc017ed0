import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { connectDatabase } from '../core/postgres/database'
import { ServiceError } from '../core/service-error'
import { prepareAccounts, READY_PEOPLE, startIdentityProvider } from '../dev/identity-provider'
import { seedSampleCounty } from '../dev/sample-county/load'
import type { Portal } from '../dev/sample-portal/portal'
import { startSamplePortal } from '../dev/sample-portal/sample-portal'
import { migrate } from '../drizzle/migrate'
import { seed } from '../drizzle/seed/seed'
import { runCommand, UsageError } from './cli/command'
import { type Config, isLocalOnly, readConfig } from './config'
import { readOrCreateLocalKey } from './embedded/local-key'
import { createLog } from './observe/log'
import { createMetrics } from './observe/metrics'
import { serveOperations } from './observe/operations-server'
import { registerPoolMetrics } from './observe/pool-metrics'
import { createReadiness } from './observe/readiness'
import { startTracing } from './observe/tracing'
import { CALLBACK_PATH } from './people/sign-in'
import { type Components, startComponents } from './roles/components'
import { ROLES, type Role, type RoleContext } from './roles/role'
import { welcome } from './roles/welcome'

/** The sample county is searchable before `bun start` says that it is ready. */
const FIRST_INDEX_TIMEOUT_MS = 60_000

const SAMPLE = { parcels: 5_000, entities: 300 }

/** The roles named on the command line; all of them when none is. */
const readRoles = (names: string[]): Role[] => {
  const unknown = names.find((name) => !ROLES.some((role) => role === name))
  if (unknown !== undefined) throw new UsageError(`no role ${unknown}: roles are ${ROLES.join(', ')}; none named: all`)
  return names.length === 0 ? [...ROLES] : ROLES.filter((role) => names.includes(role))
}

/** Schema and seeds; with the embedded default the sample county and its portal too: something to look at, and to scrape. */
const prepareDatabase = async (config: Config, url: string): Promise<Portal | null> => {
  await migrate(url)
  const sql = connectDatabase(url, { max: 2, applicationName: 'seed' })
  try {
    await seed(sql)
    if (config.databaseUrl !== null) return null
    await seedSampleCounty(sql, SAMPLE)
    return await startSamplePortal(sql)
  } finally {
    await sql.end()
  }
}

/**
 * With the embedded default, and as long as callers come from this machine only, people sign in through a provider that asks for no
 * password, unless the environment names another one.
 */
const startEmbeddedProvider = async (config: Config, roles: Role[], databaseUrl: string) => {
  if (config.databaseUrl !== null || config.identityProvider !== null || !roles.includes('api')) return null
  if (!isLocalOnly(config)) {
    console.log('nobody can sign in: HOST or BASE_URL reaches beyond this machine and OIDC_ISSUER is not set')
    return null
  }
  const provider = await startIdentityProvider({ redirectUri: `${config.baseUrl}${CALLBACK_PATH}` })
  const sql = connectDatabase(databaseUrl, { max: 1, applicationName: 'people' })
  try {
    await prepareAccounts(sql, provider.identityProvider)
  } catch (error) {
    await provider.stop()
    throw error
  } finally {
    await sql.end()
  }
  return provider
}

interface Stoppable {
  stop: () => Promise<void>
}

/** One that cannot say goodbye, to a database that is away for one, does not keep the others from it. */
const stopAll = async (parts: Stoppable[], log: Logger): Promise<void> => {
  const outcomes = await Promise.allSettled(parts.map((part) => part.stop()))
  for (const outcome of outcomes) if (outcome.status === 'rejected') log.warn({ err: outcome.reason }, 'not well ended')
}

/** The code of a role is loaded by the processes that have it: one of `sync` alone takes less than half the memory of one of all. */
const run = async (
  config: Config,
  roles: Role[],
  components: Components,
  log: Logger,
): Promise<() => Promise<void>> => {
  const localKey =
    config.bootstrapKeys === null && config.databaseUrl === null ? readOrCreateLocalKey(config.dataDir) : null
  const bootstrapKeys = config.bootstrapKeys ?? new Map(localKey === null ? [] : [[localKey, 'admin' as const]])
  const started: Stoppable[] = []
  /** What the roles stand on. */
  const ground: Stoppable[] = []
  let isReady = false
  const stop = async () => {
    isReady = false
    // Each role finishes what runs: all at the same time, so that together they take no longer than the slowest.
    await stopAll(started.splice(0), log)
    await stopAll(ground.splice(0), log)
  }
  try {
    const portal = await prepareDatabase(config, components.databaseUrl)
    if (portal !== null) {
      ground.push(portal)
      console.log(`Larkspur County's portal, invented, on ${portal.origin.slice('http://'.length)}`)
    }
    const embeddedProvider = await startEmbeddedProvider(config, roles, components.databaseUrl)
    if (embeddedProvider !== null) {
      ground.push(embeddedProvider)
      console.log(`OpenID provider, embedded, on ${embeddedProvider.identityProvider.issuer.slice('http://'.length)}`)
    }
    const identityProvider = config.identityProvider ?? embeddedProvider?.identityProvider ?? null
    const ownOrigins = new Set(portal === null ? [] : [portal.origin])
    const metrics = createMetrics()
    const readiness = createReadiness()
    if (config.metricsPort !== null)
      ground.push(startOperations(config, metrics, async () => (isReady ? readiness.findObstacle() : NOT_STARTED)))
    if (config.otlpEndpoint !== null) ground.push(startTracing(config.otlpEndpoint, roles.join('+')))
    const measurePool = registerPoolMetrics(metrics)
    const context: RoleContext = {
      config,
      components,
      bootstrapKeys,
      identityProvider,
      ownOrigins,
      metrics,
      watchPool: (name, sql) => {
        measurePool(name, sql)
        readiness.watchPool(name, sql)
      },
      watchLoop: readiness.watchLoop,
      log,
    }
    if (roles.includes('sync')) {
      const { startSync } = await import('./roles/sync')
      const sync = startSync(context)
      if (sync !== null) {
        started.push(sync)
        if (config.databaseUrl === null) await sync.drain(FIRST_INDEX_TIMEOUT_MS)
      }
    }
    if (roles.includes('worker')) started.push(await (await import('./roles/worker')).startWorker(context))
    if (roles.includes('scheduler')) started.push((await import('./roles/scheduler')).startScheduler(context))
    if (roles.includes('tiles')) started.push((await import('./roles/tiles')).startTiles(context))
    if (roles.includes('api')) {
      const { startApi } = await import('./roles/api')
      started.push(await startApi(context))
      const { baseUrl } = config
      const people = embeddedProvider && READY_PEOPLE
      console.log(await welcome({ baseUrl, databaseUrl: components.databaseUrl, key: localKey, people }))
    }
    isReady = true
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}

const NOT_STARTED = 'not started, or stopping'

const startOperations = (config: Config, metrics: Registry, findObstacle: () => Promise<string | null>) => {
  const server = serveOperations(metrics, { port: config.metricsPort ?? 0, host: config.metricsHost, findObstacle })
  return { stop: async () => server.stop() }
}

const STOP_MS = 40_000

/** A key press reaches a process by more than one way (the terminal and `bun run` both pass it on): later, it means haste. */
const SAME_PRESS_MS = 1_000

/**
 * Settles with the reason to stop: a signal, a server that ended by itself, or a bug. A second signal ends the process at once.
 *
 * An error that nobody caught leaves its role half done. Left to itself Bun prints it and goes on, with whatever is left of the
 * roles: better that the process ends, is seen to, and is started anew.
 */
const stopReason = (components: Components, log: Logger): Promise<{ reason: string; failed: boolean }> =>
  new Promise((resolve) => {
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        log.fatal({ err: error }, 'a role crashed: the process ends')
        resolve({ reason: `a role crashed of a bug (${error})`, failed: true })
      })
    }
    let firstAt: number | null = null
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (firstAt !== null && performance.now() - firstAt > SAME_PRESS_MS) process.exit(1)
        firstAt ??= performance.now()
        resolve({ reason: signal, failed: false })
      })
    }
    components.failed.then((reason) => resolve({ reason, failed: true }))
  })

const main = async (): Promise<void> => {
  const roles = readRoles(process.argv.slice(2))
  const config = readConfig()
  const log = createLog(config.logLevel)
  const components = await startComponents(config, console.log, {
    needsSearch: roles.some((role) => role === 'api' || role === 'sync'),
  })
  const reason = stopReason(components, log)
  let stop: () => Promise<void>
  try {
    stop = await run(config, roles, components, log)
  } catch (error) {
    await components.stop()
    throw error
  }
  const { reason: why, failed } = await reason
  console.log(`${why}: stopping`)
  // Roles bound their own farewells (30 s); should one hang all the same, ending is better than limping.
  setTimeout(() => {
    console.error(`not stopped after ${STOP_MS / 1_000} s: ending`)
    process.exit(1)
  }, STOP_MS).unref()
  await stop()
  await components.stop()
  if (failed) throw new ServiceError('embedded_failed', why)
}

// Where uncaught errors are listened for, one of the top level would not end the process either.
await runCommand(main).catch((error) => {
  console.error(error)
  process.exit(1)
})

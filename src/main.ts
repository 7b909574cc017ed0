import { join } from 'node:path'
import type { Logger } from 'pino'
import { VENDORS } from '../adapters/registry'
import { waitAtMost } from '../core/concurrency/wait-at-most'
import { tryAddress } from '../core/network/refuse-address'
import { connectDatabase } from '../core/postgres/database'
import { ServiceError } from '../core/service-error'
import { prepareAccounts, READY_PEOPLE, startIdentityProvider } from '../dev/identity-provider'
import { hasSampleCounty, seedSampleCounty } from '../dev/sample-county/load'
import type { Portal } from '../dev/sample-portal/portal'
import { startSamplePortal } from '../dev/sample-portal/sample-portal'
import { migrate, NEWER_SCHEMA } from '../drizzle/migrate'
import { seed } from '../drizzle/seed/seed'
import type { SearchSync } from '../search/sync/sync'
import { runCommand, UsageError } from './cli/command/command'
import { type Config, isLocalOnly, readConfig } from './config'
import { listMisspelled } from './operations/doctor/misspelled-variables'
import { readOrCreateKey } from './operations/embedded/key-file'
import { createLog } from './operations/observe/log'
import { createMetrics } from './operations/observe/metrics'
import { serveOperations } from './operations/observe/operations-server'
import { registerPoolMetrics } from './operations/observe/pool-metrics'
import { createReadiness } from './operations/observe/readiness'
import { CALLBACK_PATH } from './people/sign-in'
import { apiAddress } from './roles/api-address'
import { type Components, startComponents } from './roles/components'
import { ROLES, type Role, type RoleContext } from './roles/role'
import { welcome } from './roles/welcome'

/** `bun start` waits up to this long for the search index, so that the first search finds the sample county. */
const FIRST_INDEX_MS = 20_000
/** How long Meilisearch may take to say which index it has. */
const FORMER_INDEX_MS = 2_000

const USAGE = `bun start [ROLE ...]      start these roles of the service; all of them if none is named

  roles: ${ROLES.join(', ')}
  settings: .env.example describes each variable`

const SAMPLE = { parcels: 5_000, entities: 300 }

/** The roles named on the command line; all roles if none is named. */
const readRoles = (names: string[]): Role[] => {
  const unknown = names.find((name) => !ROLES.some((role) => role === name))
  if (unknown !== undefined)
    throw new UsageError(`unknown role ${unknown}: roles are ${ROLES.join(', ')}; name none to run all`)
  return names.length === 0 ? [...ROLES] : ROLES.filter((role) => names.includes(role))
}

/** Migrates and seeds the database. The embedded default also loads the sample county and starts its portal. */
const prepareDatabase = async (config: Config, url: string): Promise<Portal | null> => {
  const hasOwnSchema = await migrate(url)
  if (!hasOwnSchema) console.log(NEWER_SCHEMA)
  const sql = connectDatabase(url, { max: 2, applicationName: 'seed' })
  try {
    if (hasOwnSchema) await seed(sql, VENDORS)
    if (config.databaseUrl !== null) return null
    // Loads it only once, because loading it again would overwrite what was loaded or scraped later.
    if (!(await hasSampleCounty(sql, SAMPLE.parcels))) await seedSampleCounty(sql, SAMPLE)
    return await startSamplePortal(sql)
  } finally {
    await sql.end()
  }
}

/**
 * Starts the embedded identity provider, which does not require a password. Only for the embedded default, only if no other provider is
 * configured, and only if the service is reachable from this machine alone.
 */
const startEmbeddedProvider = async (config: Config, roles: Role[], databaseUrl: string) => {
  if (config.databaseUrl !== null || config.identityProvider !== null || !roles.includes('api')) return null
  if (!isLocalOnly(config)) {
    console.log('Sign-in is off: HOST or BASE_URL reaches beyond this machine, and OIDC_ISSUER is not set')
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

/** Stops all parts. A part that fails to stop, for example because the database is unavailable, does not block the others. */
const stopAll = async (parts: Stoppable[], log: Logger): Promise<void> => {
  const outcomes = await Promise.allSettled(parts.map((part) => part.stop()))
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') log.warn({ err: outcome.reason }, 'a part of the service did not stop cleanly')
}

/**
 * The service starts even if the index is not complete in time. Indexing a large database takes longer, and PostgreSQL answers searches
 * until then. After an upgrade it does not wait, because the former index answers.
 */
const waitForIndex = async (sync: SearchSync): Promise<void> => {
  if ((await waitAtMost(FORMER_INDEX_MS, sync.hasFormerIndex())) === true) {
    console.log('The search index is rebuilt for this version: until it is complete, the former one answers searches')
    return
  }
  try {
    await sync.drain(FIRST_INDEX_MS)
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'search_unavailable') throw error
    console.log('The search index is still being built: until it is complete, PostgreSQL (pg_trgm) answers searches')
  }
}

/**
 * Adds each role to `started` as soon as it runs, so that the caller can stop those that run when a later one fails. Loads the code of a role
 * only if it runs: a process with only `sync` uses less than half the memory of one with all roles.
 */
const startRoles = async (context: RoleContext, roles: Role[], started: Stoppable[]): Promise<void> => {
  if (roles.includes('sync')) {
    const { startSync } = await import('./roles/sync')
    const sync = startSync(context)
    if (sync !== null) {
      started.push(sync)
      if (context.config.databaseUrl === null) await waitForIndex(sync)
    }
  }
  if (roles.includes('worker')) started.push(await (await import('./roles/worker')).startWorker(context))
  if (roles.includes('scheduler')) started.push((await import('./roles/scheduler')).startScheduler(context))
  if (roles.includes('tiles')) started.push((await import('./roles/tiles')).startTiles(context))
  if (roles.includes('api')) started.push(await (await import('./roles/api/api')).startApi(context))
}

/** Prepares the database and what the roles depend on, then starts the roles. Returns the function that stops everything. */
const run = async (
  config: Config,
  roles: Role[],
  components: Components,
  log: Logger,
): Promise<() => Promise<void>> => {
  const localKey =
    config.bootstrapKeys === null && config.databaseUrl === null
      ? readOrCreateKey(join(config.dataDir, 'admin-key'), 32)
      : null
  const bootstrapKeys = config.bootstrapKeys ?? new Map(localKey === null ? [] : [[localKey, 'admin' as const]])
  const started: Stoppable[] = []
  /** Parts that the roles depend on. They stop last. */
  const ground: Stoppable[] = []
  let isReady = false
  const stop = async () => {
    isReady = false
    exitUnlessStopped()
    // The roles finish their running work in parallel.
    await stopAll(started.splice(0), log)
    await stopAll(ground.splice(0), log)
  }
  try {
    const portal = await prepareDatabase(config, components.databaseUrl)
    if (portal !== null) {
      ground.push(portal)
      console.log(`Sample portal of the fictional Larkspur County on ${portal.origin.slice('http://'.length)}`)
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
    if (config.metricsPort !== null) {
      const server = serveOperations(metrics, {
        port: config.metricsPort,
        host: config.metricsHost,
        findReadinessProblem: async () => (isReady ? readiness.findReadinessProblem() : NOT_STARTED),
        log,
      })
      ground.push({ stop: async () => server.stop() })
    }
    if (config.otlpEndpoint !== null) {
      const { startTracing } = await import('./operations/observe/tracing')
      ground.push(startTracing(config.otlpEndpoint, roles.join('+'), log))
    }
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
    await startRoles(context, roles, started)
    if (roles.includes('api')) {
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

const NOT_STARTED = 'starting or stopping'

const STOP_MS = 40_000

/** Every role limits how long it takes to stop (30 s). If one hangs anyway, the process ends. */
const exitUnlessStopped = (): void => {
  setTimeout(() => {
    console.error(`The service did not stop within ${STOP_MS / 1_000} s: exiting anyway`)
    process.exit(1)
  }, STOP_MS).unref()
}

/** The terminal and `bun run` can both deliver one Ctrl-C. Signals within this time count as one. */
const SAME_PRESS_MS = 1_000

/**
 * Resolves with the reason to stop: a signal, an embedded server that ended, or a bug. A second signal ends the process immediately.
 *
 * By default Bun prints an uncaught error and continues, but the role that threw it may no longer work. So the process ends, and its
 * supervisor restarts it.
 */
const stopReason = (components: Components, log: Logger): Promise<{ reason: string; failed: boolean }> =>
  new Promise((resolve) => {
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        log.fatal({ err: error }, 'uncaught error: the process ends')
        resolve({ reason: `uncaught error (${error})`, failed: true })
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
  if (process.argv.includes('--help')) return console.log(USAGE)
  const roles = readRoles(process.argv.slice(2))
  const config = readConfig()
  const log = createLog(config.logLevel)
  for (const { name, meant } of listMisspelled(process.env))
    log.warn(`${name} is set, but nothing reads it: is ${meant} meant?`)
  // Checked first. Otherwise a first start would take half a minute, and start the other roles, before it found that the port is taken.
  if (roles.includes('api')) await tryAddress(apiAddress(config))
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
  await stop()
  await components.stop()
  if (failed) throw new ServiceError('embedded_failed', why)
}

// Exits explicitly, because all necessary work is done. Anything still open, such as a request without a response, must not keep the
// process alive. Also, with an uncaughtException listener, Bun would not exit on a top-level error.
await runCommand(main).catch((error) => {
  console.error(error)
  process.exitCode = 1
})
process.exit()

import { join } from 'node:path'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'
import type { FetchContext } from '../adapters/adapter'
import { createBrowser } from '../adapters/browser'
import type { Waiting } from '../adapters/http/host-turns'
import { createPortalAccess } from '../adapters/http-client'
import { CRAWLED_VENDORS, findAdapter } from '../adapters/registry'
import { connectDatabase, type Sql } from '../drizzle/database'
import { createDocumentCount } from '../search/count-documents'
import { createSearch } from '../search/search'
import { createSearchSync, type SearchSync } from '../search/sync'
import { keepTilesBuilt } from '../tiles-build/keep-built'
import { createTileStore } from '../tiles-build/tile-store'
import type { Components } from './components'
import type { Capability, Config, IdentityProvider } from './config'
import { registerCrawlCounters } from './crawl-counters'
import { registerCrawlMetrics } from './crawl-metrics'
import { createApp } from './http/app'
import { createAuthenticator } from './http/auth'
import { createEmbeddedQueue } from './jobs/bunqueue'
import { createCrawler } from './jobs/crawler'
import { createDispatcher } from './jobs/dispatcher'
import { createRedisQueue } from './jobs/redis'
import { createScheduler, type Scheduler } from './jobs/scheduler'
import { createWorker } from './jobs/worker'
import type { WatchPool } from './pool-metrics'
import { registerQueueMetrics } from './queue-metrics'
import { review } from './review/review'
import { ServiceError } from './service-error'
import type { CrawlDeps } from './services/crawl-source'
import { createEventFeed } from './services/event-feed'
import { createScrapeNow } from './services/scrape-now'
import { createScrapeParcel, type ScrapeParcel } from './services/scrape-parcel'
import { CALLBACK_PATH, createSignIn } from './services/sign-in'
import { registerSyncMetrics } from './sync-metrics'
import { tellNowAndThen } from './tell-now-and-then'

export const ROLES = ['api', 'sync', 'worker', 'scheduler', 'tiles'] as const
/** What a process does: one role, several, or all in one. */
export type Role = (typeof ROLES)[number]

export interface RoleContext {
  config: Config
  components: Components
  bootstrapKeys: ReadonlyMap<string, Capability>
  /** Where people sign in. Null: nowhere. */
  identityProvider: IdentityProvider | null
  /** Of this process: a role adds its own metrics. */
  metrics: Registry
  watchPool: WatchPool
  /** Portals that this very process runs. */
  ownOrigins: ReadonlySet<string>
  log: Logger
}

/** How long requests that run may take to end once the service stops. */
const DRAIN_MS = 30_000

/**
 * Scrapes through the registry's adapters, one polite client and, where it may run, one browser. Spacing between requests is
 * kept within the process.
 */
const openPortals = (
  { config, ownOrigins }: RoleContext,
  sql: Sql,
  { withBrowser }: { withBrowser: boolean },
): { scrapeParcel: ScrapeParcel; createContext: CrawlDeps['createContext']; close: () => Promise<void> } => {
  const { userAgent, chromiumPath } = config
  const portals = createPortalAccess({ userAgent, allowPrivate: config.allowPrivateSources, ownOrigins })
  const browser = withBrowser ? createBrowser({ executablePath: chromiumPath, userAgent, portals }) : null
  const createContext = (source: string, signal: AbortSignal, waiting?: Waiting): FetchContext => ({
    http: portals.clientFor(source, signal, waiting),
    openPage: browser && (() => browser.openPage(signal, waiting)),
    signal,
  })
  const scrapeParcel = createScrapeParcel({ sql, findAdapter, createContext })
  return { scrapeParcel, createContext, close: async () => browser?.stop() }
}

const isTraced = ({ otlpEndpoint }: Config): boolean => otlpEndpoint !== null

/** As `connectDatabase`; the metrics tell how the pool is used, and its statements are in traces where those are sent. */
const createPools =
  ({ config, watchPool }: RoleContext): typeof connectDatabase =>
  (url, options = {}) => {
    const sql = connectDatabase(url, { ...options, traced: isTraced(config) })
    watchPool(options.applicationName ?? '', sql)
    return sql
  }

/** @throws ServiceError `bad_config` when the port is taken */
export const startApi = async (context: RoleContext) => {
  const { config, components, bootstrapKeys, identityProvider, metrics, log } = context
  const sql = createPools(context)(components.databaseUrl, { max: 10, applicationName: 'api', timed: true })
  let searchIsDegraded = false
  const search = createSearch({
    sql,
    meili: components.meili,
    onHealthChange: (healthy, reason) => {
      searchIsDegraded = !healthy
      log.warn({ healthy, reason }, healthy ? 'Meilisearch answers again' : 'searches are answered by Postgres')
    },
  })
  new Gauge({
    name: 'search_degraded',
    help: '1 while PostgreSQL answers searches because Meilisearch does not',
    registers: [metrics],
    collect() {
      this.set(Number(searchIsDegraded))
    },
  })
  const authenticator = createAuthenticator(sql, bootstrapKeys, { baseUrl: config.baseUrl })
  const { scrapeParcel } = openPortals(context, sql, { withBrowser: false })
  const eventFeed = createEventFeed(sql, { log })
  const app = await createApp({
    sql,
    search,
    countDocuments: components.meili && createDocumentCount(components.meili),
    searchIsDegraded: () => searchIsDegraded,
    authenticator,
    signIn:
      identityProvider &&
      createSignIn({ sql, provider: identityProvider, redirectUri: `${config.baseUrl}${CALLBACK_PATH}` }),
    trustedProxies: config.trustedProxies,
    tileStore: createTileStore(config.tilesUrl),
    eventFeed,
    scrapeNow: createScrapeNow({ sql, findAdapter, scrapeParcel, review }),
    log,
    registry: config.metricsPort === null ? null : metrics,
    traced: isTraced(config),
    baseUrl: config.baseUrl,
    corsOrigins: config.corsOrigins,
    allowPrivateSources: config.allowPrivateSources,
  })
  const close = async () => {
    await authenticator.stop()
    await sql.end({ timeout: 5 })
  }
  try {
    app.listen({ port: config.port, hostname: config.host, reusePort: config.reusePort })
  } catch (error) {
    await close()
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new ServiceError('bad_config', `port ${config.port} of ${config.host} is taken: set PORT to another one`, {
        cause: error,
      })
    }
    throw error
  }
  return {
    stop: async () => {
      const timer = setTimeout(() => app.server?.stop(true), DRAIN_MS)
      // Streams have no end of their own, and a server waits for all that it answers.
      await eventFeed.stop()
      await app.stop()
      clearTimeout(timer)
      await close()
    },
  }
}

/** Keeps the search index in step with the database. Null where there is no Meilisearch: there is no index to keep. */
export const startSync = (context: RoleContext): SearchSync | null => {
  const { components, metrics, log } = context
  if (components.meili === null) return null
  const syncMetrics = registerSyncMetrics(metrics)
  const sync = createSearchSync({
    databaseUrl: components.databaseUrl,
    meili: components.meili,
    openPool: createPools(context),
    onEvent: (event) => {
      syncMetrics.onEvent(event)
      if ('error' in event) {
        const { error, ...rest } = event
        log.warn({ err: error, ...rest }, 'search sync')
      } else log[event.kind === 'refused' ? 'warn' : 'info'](event, 'search sync')
    },
  })
  syncMetrics.watch(sync)
  sync.start()
  return sync
}

/**
 * Runs jobs and crawls, and hands jobs over from the table to the queue.
 *
 * @throws ServiceError `data_dir_in_use` when another process has the embedded queue
 */
export const startWorker = (context: RoleContext) => {
  const { config, components, metrics, log } = context
  const { databaseUrl } = components
  const sql = createPools(context)(databaseUrl, { max: 8, applicationName: 'worker', planned: 'each' })
  const openQueue = () => {
    if (config.redisUrl === null) return createEmbeddedQueue(join(config.dataDir, 'queue'))
    return createRedisQueue(config.redisUrl, {
      onReset: () => {
        worker.refreshTargets()
        dispatcher.refill()
      },
      onError: tellNowAndThen((error, times) => log.warn({ err: error, times }, 'the queue')),
    })
  }
  const queue = openQueue()
  const { scrapeParcel, createContext, close } = openPortals(context, sql, { withBrowser: true })
  const worker = createWorker({ sql, queue, scrapeParcel, review, log })
  const dispatcher = createDispatcher({ databaseUrl, sql, queue, log })
  const crawler = createCrawler({
    ...{ sql, vendors: CRAWLED_VENDORS, findAdapter, createContext, review, log },
    watcher: registerCrawlCounters(metrics),
  })
  worker.start()
  dispatcher.start()
  crawler.start()
  return {
    stop: async () => {
      await dispatcher.stop()
      await Promise.all([worker.stop(), crawler.stop()])
      await close()
      await sql.end({ timeout: 5 })
    },
  }
}

/** Refreshes sources when they are due. */
export const startScheduler = (context: RoleContext): Scheduler => {
  const { components, metrics, log } = context
  const { databaseUrl } = components
  const sql = createPools(context)(databaseUrl, { max: 2, applicationName: 'scheduler' })
  registerQueueMetrics(metrics, sql)
  registerCrawlMetrics(metrics, sql, CRAWLED_VENDORS)
  const scheduler = createScheduler({ databaseUrl, sql, log, crawledVendors: CRAWLED_VENDORS })
  scheduler.start()
  return {
    ...scheduler,
    stop: async () => {
      await scheduler.stop()
      await sql.end({ timeout: 5 })
    },
  }
}
/** Keeps the archive that maps are drawn from in step with the parcels. */
export const startTiles = (context: RoleContext) => {
  const { config, components, log } = context
  return keepTilesBuilt({
    databaseUrl: components.databaseUrl,
    openPool: createPools(context),
    store: createTileStore(config.tilesUrl),
    workDir: join(config.dataDir, 'tiles-build'),
    onBuilt: (result) => log.info(result, 'tiles built'),
    onFailed: (error) => log.warn({ error: error.message }, 'tiles not built'),
  })
}

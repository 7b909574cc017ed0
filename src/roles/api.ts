import { Gauge } from 'prom-client'
import { findAdapter } from '../../adapters/registry'
import { waitAtMost } from '../../core/concurrency/wait-at-most'
import { refuseAddress } from '../../core/network/refuse-address'
import { createLatencyWindow } from '../../core/observe/latency-window'
import type { PoolOptions } from '../../core/postgres/database'
import { followReplicas } from '../../core/postgres/replicas/replicas'
import { describeStates, NO_STATES, uniteStates } from '../../core/state-set'
import { readVocabulary } from '../../dev/adapter-cases/read-vocabulary'
import { listIndexedInstances } from '../../search/index/indexed-instances'
import { nameInstance } from '../../search/index/instances'
import { createSearch } from '../../search/search'
import { createTileStore } from '../../tiles-build/archive/tile-store'
import { followCoverage } from '../coverage/follow-coverage'
import { createDownloadLinks } from '../exports/download-link'
import { createExportStore } from '../exports/export-store'
import { createApp } from '../http/app'
import { createAuthenticator } from '../http/callers/auth'
import { createListTurns } from '../http/callers/list-turns'
import { createEventFeed } from '../operations/observe/event-feed'
import { registerReplicaMetrics } from '../operations/observe/replica-metrics'
import { followDatasetVersion } from '../parcels/dataset-version'
import { createParcelFeatures } from '../parcels/parcel-features'
import { createParcelLists } from '../parcels/parcel-lists'
import { CALLBACK_PATH, createSignIn } from '../people/sign-in'
import { createScrapeNow } from '../scrape/fetch/scrape-now'
import { createPageStore } from '../scrape/pages/page-store'
import { exportGoldenPage } from '../scrape/prove/export-golden-page'
import { createTryParcel } from '../scrape/prove/try-parcel'
import { review } from '../scrape/review/review'
import { openPortals } from './portals'
import { createPools, isTraced, type RoleContext } from './role'

const POOL: PoolOptions = { max: 10, applicationName: 'api', patience: 'interactive', timed: true }
const HEAVY_POOL: PoolOptions = { max: 8, applicationName: 'api-heavy', patience: 'interactive', timed: true }
/** Reading the vocabulary of the search takes about 10 s per million parcels, and no request waits for it. */
const VOCABULARY_POOL: PoolOptions = { max: 1, applicationName: 'api-vocabulary', patience: 'bulk' }
/** The API starts after this time even without the vocabulary. It is enough for about 500,000 parcels. */
const VOCABULARY_PATIENCE_MS = 5_000
/** How long running requests may take to finish once the service stops. */
const DRAIN_MS = 30_000
/** A client of a streamed export that reads nothing for this long is disconnected. */
const STREAM_STALL_MS = 30_000

/** @throws ServiceError `bad_config` when the port is taken, or HOST is not of this machine */
export const startApi = async (context: RoleContext) => {
  const { config, components, bootstrapKeys, identityProvider, metrics, log } = context
  const connect = createPools(context)
  const sql = connect(components.databaseUrl, POOL)
  // Slow queries have their own connections: if no connection is idle, the driver queues a statement behind a running one,
  // and a look-up of 1 ms would wait for it.
  const heavySql = connect(components.databaseUrl, HEAVY_POOL)
  const vocabularySql = connect(components.databaseUrl, VOCABULARY_POOL)
  const replicas = followReplicas(config.databaseReadUrls, sql, {
    onChange: ({ name, inRotation, problem }) =>
      log.warn({ replica: name, problem }, inRotation ? 'reads go to the replica' : 'no reads go to the replica'),
  })
  registerReplicaMetrics(metrics, replicas)
  const ofReplica = { probed: true, traced: isTraced(config) }
  const reads = replicas.openReads(sql, { ...POOL, ...ofReplica })
  const heavyReads = replicas.openReads(heavySql, { ...HEAVY_POOL, ...ofReplica })
  const vocabularyReads = replicas.openReads(vocabularySql, { ...VOCABULARY_POOL, ...ofReplica })
  /** The instances of Meilisearch that do not answer. */
  const away = new Set<string>()
  const instances = components.meili === null ? [] : listIndexedInstances(components.meili)
  const search = createSearch({
    ...{ sql, reads, heavyReads, vocabularyReads },
    meili: components.meili,
    onHealthChange: (instance, healthy, reason) => {
      if (healthy) away.delete(nameInstance(instance))
      else away.add(nameInstance(instance))
      const about = { healthy, reason, instance: nameInstance(instance), states: describeStates(instance.states) }
      log.warn(
        about,
        healthy ? 'Meilisearch answers again' : 'Meilisearch does not answer: PostgreSQL answers searches',
      )
    },
  })
  // Searches run without corrections until it is done. If it fails, a later search reads the vocabulary.
  const vocabulary = search
    .refreshVocabulary()
    .catch((error) =>
      log.warn({ err: error }, 'the search vocabulary could not be read: searches do not correct typos until it is'),
    )
  new Gauge({
    name: 'search_degraded',
    help: '1 while PostgreSQL answers searches because Meilisearch does not, by instance of Meilisearch',
    labelNames: ['instance', 'states'],
    registers: [metrics],
    collect() {
      for (const { name, states } of instances)
        this.set({ instance: name, states: describeStates(states) }, Number(away.has(name)))
    },
  })
  const authenticator = createAuthenticator(sql, bootstrapKeys, {
    baseUrl: config.baseUrl,
    exportKeys: config.exportKeys,
  })
  const {
    scrapeParcel,
    createContext,
    readers,
    close: closePortals,
  } = openPortals(context, sql, { withBrowser: false })
  const eventFeed = createEventFeed(sql, { log })
  const datasetVersion = followDatasetVersion(sql, { log, ofReplicas: replicas.version })
  const app = createApp({
    sql,
    reads,
    noteWrite: replicas.noteWrite,
    search,
    parcelLists: createParcelLists(heavyReads),
    parcelFeatures: createParcelFeatures(heavyReads),
    datasetVersion,
    listTurns: createListTurns(),
    indexedInstances: instances,
    degradedStates: () =>
      instances.reduce((states, one) => (away.has(one.name) ? uniteStates(states, one.states) : states), NO_STATES),
    authenticator,
    signIn:
      identityProvider &&
      createSignIn({ sql, provider: identityProvider, redirectUri: `${config.baseUrl}${CALLBACK_PATH}` }),
    trustedProxies: config.trustedProxies,
    tileStore: createTileStore(config.tilesUrl),
    pageStore: createPageStore(config.pagesUrl),
    coverage: followCoverage(sql),
    exports: {
      reads: heavyReads,
      store: createExportStore(config.exportsUrl),
      links: createDownloadLinks(sql),
      maxBytes: config.maxExportsBytes,
      stallMs: STREAM_STALL_MS,
    },
    maxUploadBytes: config.maxUploadBytes,
    eventFeed,
    latency: createLatencyWindow(),
    scrapeNow: createScrapeNow({ sql, findAdapter, scrapeParcel, review }),
    exportGoldenPage: (golden) =>
      exportGoldenPage({ anonymize: readers.anonymize, findAdapter, readVocabulary }, golden),
    tryParcel: createTryParcel({
      ...{ sql, findAdapter, createContext, readers },
      allowPrivateSources: config.allowPrivateSources,
    }),
    log,
    registry: config.metricsPort === null ? null : metrics,
    traced: isTraced(config),
    baseUrl: config.baseUrl,
    corsOrigins: config.corsOrigins,
    basemapUrl: config.basemapUrl,
    allowPrivateSources: config.allowPrivateSources,
    allowPrivateWebhooks: config.allowPrivateWebhooks,
  })
  const close = async () => {
    await datasetVersion.stop()
    await authenticator.stop()
    await replicas.stop()
    await closePortals()
    await Promise.all([sql, heavySql, vocabularySql].map((pool) => pool.end({ timeout: 5 })))
  }
  await waitAtMost(VOCABULARY_PATIENCE_MS, vocabulary)
  try {
    app.listen({ port: config.port, hostname: config.host, reusePort: config.reusePort })
  } catch (error) {
    await close()
    return refuseAddress(error, { ...config, hostVariable: 'HOST', otherPort: 'set another PORT' })
  }
  return {
    stop: async () => {
      const timer = setTimeout(() => app.server?.stop(true), DRAIN_MS)
      // Streams never end by themselves, and the server waits for all responses. Requests that wait for changes are answered.
      await Promise.all([eventFeed.stop(), datasetVersion.stop()])
      await app.stop()
      clearTimeout(timer)
      await close()
    },
  }
}

import { findAdapter } from '../../../adapters/registry'
import { waitAtMost } from '../../../core/concurrency/wait-at-most'
import { refuseAddress } from '../../../core/network/refuse-address'
import { createLatencyWindow } from '../../../core/observe/latency-window'
import { readVocabulary } from '../../../dev/adapter-cases/read-vocabulary'
import { createTileStore } from '../../../tiles-build/store/create-tile-store'
import { followCoverage } from '../../coverage/follow-coverage'
import { createDownloadLinks } from '../../exports/download-link'
import { createExportStore } from '../../exports/export-store'
import { createApp } from '../../http/app'
import { createAuthenticator } from '../../http/callers/authenticator'
import { createListTurns } from '../../http/callers/list-turns'
import { createEventFeed } from '../../operations/observe/event-feed'
import { followDatasetVersion } from '../../parcels/dataset-version'
import { createParcelFeatures } from '../../parcels/parcel-features'
import { createParcelLists } from '../../parcels/parcel-lists'
import { CALLBACK_PATH, createSignIn } from '../../people/sign-in'
import { createScrapeNow } from '../../scrape/fetch/scrape-now/scrape-now'
import { createPageStore } from '../../scrape/pages/page-store'
import { exportGoldenPage } from '../../scrape/prove/export-golden-page'
import { createTryParcel } from '../../scrape/prove/try-parcel'
import { review } from '../../scrape/review/review'
import { apiAddress } from '../api-address'
import { openPortals } from '../portals'
import { isTraced, type RoleContext } from '../role'
import { openDatabase } from './open-database'
import { openSearch } from './open-search'

/** The API starts after this time even without the vocabulary. It is enough for about 500,000 parcels. */
const VOCABULARY_PATIENCE_MS = 5_000
/** How long running requests may take to finish once the service stops. */
const DRAIN_MS = 30_000
/** A client of a streamed export that reads nothing for this long is disconnected. */
const STREAM_STALL_MS = 30_000

/** @throws ServiceError `bad_config` when the port is taken, or HOST is not of this machine */
export const startApi = async (context: RoleContext) => {
  const { config, bootstrapKeys, identityProvider, metrics, log } = context
  const database = openDatabase(context)
  const { sql, reads, heavyReads, replicas } = database
  const { search, instances, degradedStates, vocabulary } = openSearch(context, database)
  const authenticator = createAuthenticator(sql, bootstrapKeys, {
    baseUrl: config.baseUrl,
    exportKeys: config.exportKeys,
  })
  const portals = openPortals(context, sql, { withBrowser: false })
  const { scrapeParcel, createContext, readers } = portals
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
    degradedStates,
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
      sql,
      findAdapter,
      createContext,
      readers,
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
    await portals.close()
    await database.close()
  }
  await waitAtMost(VOCABULARY_PATIENCE_MS, vocabulary)
  try {
    app.listen({ port: config.port, hostname: config.host, reusePort: config.reusePort })
  } catch (error) {
    await close()
    return refuseAddress(error, apiAddress(config))
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

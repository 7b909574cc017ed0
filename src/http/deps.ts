import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { FairTurns } from '../../core/concurrency/fair-turns'
import type { LatencyWindow } from '../../core/observe/latency-window'
import type { Sql } from '../../core/postgres/database'
import type { Reads } from '../../core/postgres/replicas/reads'
import type { Replicas } from '../../core/postgres/replicas/replicas'
import type { StateSet } from '../../core/state-set'
import type { StoredGoldenPage } from '../../drizzle/queries/sources/source-proofs'
import type { IndexedInstance } from '../../search/index/indexed-instances'
import type { Search } from '../../search/search'
import type { TileStore } from '../../tiles-build/store/tile-store'
import type { CoverageNews } from '../coverage/follow-coverage'
import type { DownloadLinks } from '../exports/download-link'
import type { ExportStore } from '../exports/export-store'
import type { EventFeed } from '../operations/observe/event-feed'
import type { DatasetVersion } from '../parcels/dataset-version'
import type { ParcelFeatures } from '../parcels/parcel-features'
import type { ParcelLists } from '../parcels/parcel-lists'
import type { SignIn } from '../people/sign-in'
import type { ScrapeNow } from '../scrape/fetch/scrape-now/scrape-now'
import type { PageStore } from '../scrape/pages/page-store'
import type { GoldenFile } from '../scrape/prove/golden-file'
import type { TryParcel } from '../scrape/prove/try-parcel'
import type { Authenticator } from './callers/authenticator'
import type { CorsOrigins } from './convention/response/cors'

/** Dependencies of the routes. */
export interface Deps {
  /** The primary: for writes, and for reads that must not lag. */
  sql: Sql
  /** For short reads of parcel data. */
  reads: Reads
  noteWrite: Replicas['noteWrite']
  search: Pick<Search, 'search'>
  parcelLists: ParcelLists
  parcelFeatures: ParcelFeatures
  datasetVersion: DatasetVersion
  /** For lists of hundreds of rows. */
  listTurns: FairTurns
  /** The instances of Meilisearch. Empty: there is no index. */
  indexedInstances: readonly IndexedInstance[]
  /** The states whose searches run on PostgreSQL, because their instances of Meilisearch are unavailable. */
  degradedStates: () => StateSet
  authenticator: Authenticator
  /** Null: no identity provider is configured. */
  signIn: SignIn | null
  /** How many trusted proxies add `X-Forwarded-For`. */
  trustedProxies: number
  /** Whether sources may have private or loopback addresses. */
  allowPrivateSources: boolean
  /** Whether webhooks may have private or loopback addresses. */
  allowPrivateWebhooks: boolean
  /** Origins whose pages may call the API from a browser. */
  corsOrigins: CorsOrigins
  /** The operator's base map. Null: the map has none. */
  basemapUrl: string | null
  /** Store of the tile archives. */
  tileStore: TileStore
  /** Store of the kept pages of portals. */
  pageStore: PageStore
  coverage: CoverageNews
  exports: {
    /** Reads the parcels of streamed exports. */
    reads: Reads
    store: ExportStore
    links: DownloadLinks
    /** Maximum bytes of all files together. */
    maxBytes: number
    /** A streamed export ends if its client reads nothing for this long. */
    stallMs: number
  }
  /** Maximum size of all uploaded files of parcels. */
  maxUploadBytes: number
  scrapeNow: ScrapeNow
  /** Scrapes a parcel and stores nothing. */
  tryParcel: TryParcel
  /** A golden page without names, addresses and numbers. */
  exportGoldenPage: (golden: StoredGoldenPage) => Promise<GoldenFile>
  eventFeed: EventFeed
  /** Response times of the last hour, in this process. */
  latency: LatencyWindow
  log: Logger
  /** Registry for metrics, one per process. Null: no metrics are recorded. */
  registry: Registry | null
  /** Whether traces are exported (src/operations/observe/tracing.ts). */
  traced: boolean
  /** Public address of the service, without a trailing slash. */
  baseUrl: string
}

import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { FairTurns } from '../../core/fair-turns'
import type { Sql } from '../../core/postgres/database'
import type { Search } from '../../search/search'
import type { TileStore } from '../../tiles-build/archive/tile-store'
import type { EventFeed } from '../observe/event-feed'
import type { ParcelBoxes } from '../parcels/parcels-in-box'
import type { SignIn } from '../people/sign-in'
import type { ScrapeNow } from '../scrape/fetch/scrape-now'
import type { Authenticator } from './callers/auth'
import type { CorsOrigins } from './convention/cors'

/** What the routes stand on. */
export interface Deps {
  sql: Sql
  search: Pick<Search, 'search'>
  parcelBoxes: ParcelBoxes
  /** For lists of hundreds of rows. */
  listTurns: FairTurns
  /** How many documents the search index has, null when that is not known. Null itself: there is no index. */
  countDocuments: (() => Promise<number | null>) | null
  /** Whether Meilisearch is away, so that Postgres answers searches. */
  searchIsDegraded: () => boolean
  authenticator: Authenticator
  /** Null: no identity provider is set. */
  signIn: SignIn | null
  /** How many proxies of the operator's own stand before the service. */
  trustedProxies: number
  /** Whether sources may be on this machine and its network. */
  allowPrivateSources: boolean
  /** Whose pages may call the API in a browser. */
  corsOrigins: CorsOrigins
  /** Where the tile archives lie. */
  tileStore: TileStore
  scrapeNow: ScrapeNow
  eventFeed: EventFeed
  log: Logger
  /** Where metrics are registered: one registry a process. Null: nobody asks for them, and none are kept. */
  registry: Registry | null
  /** Whether traces are sent anywhere (src/observe/tracing.ts). */
  traced: boolean
  /** Where callers reach the service, without a trailing slash. */
  baseUrl: string
}

import type { Static, TSchema } from '@sinclair/typebox'
import type { MultiPolygon } from 'geojson'
import type { Scrape } from './scrape'

/**
 * An adapter reads one vendor's portals, in two halves: `fetch` talks to the portal and brings raw documents, `parse` turns
 * them into fields and touches nothing else. What differs between counties is data in `vendor_config`, checked by the
 * adapter's own schema.
 *
 * Its functions are methods for the compiler's sake: only so a list can hold adapters of different `Config`. They use no `this`.
 */
export interface Adapter<Config extends TSchema = TSchema> {
  /** The slug in `VENDORS`. */
  vendor: string
  /** Its pages only come alive in a browser: it runs in workers, never inside the API. */
  needsBrowser: boolean
  /** The schema of `vendor_config`: closed, every field described. */
  config: Config
  /**
   * The documents that tell of `target`, in the order in which they were asked for.
   *
   * @throws ScrapeError as soon as the portal refuses, or shows another page than the one that was asked for
   */
  fetch(target: ScrapeTarget, config: Static<Config>, context: FetchContext): Promise<Fetched>
  /**
   * Pure: the same documents give the same result. Call it through `readScrape`, which checks whose page it is.
   *
   * @throws ScrapeError `page_changed` naming the label or table that is missing, `wrong_parcel`, `not_found`, `blocked`, `maintenance`
   */
  parse(documents: readonly RawDocument[], target: ScrapeTarget, config: Static<Config>): ReadParcel
  /**
   * Every parcel of a layer, page by page; for portals that publish whole layers. Its `config` has `max_records` (`mostRecords` of
   * `reading/record-map.ts`): a crawl ends as an error before it stores more.
   */
  crawl?(source: CrawlSource, config: Static<Config>, context: FetchContext): AsyncIterable<CrawlPage>
}

/** The parcel that is asked for, and what is known of it. */
export interface ScrapeTarget {
  source: string
  sourceParcelId: string
  /** Of the source, without a trailing slash. Often the portal's search page: build on it with `portalUrl`. */
  baseUrl: string
  state: string
  countyName: string
  /** How to ask the portal, where its key is not the parcel's id (body of scrape-now). Says nothing about whose page may be stored. */
  overrides: ScrapeOverrides
  /**
   * The number that the stored parcel's own scrape data gives it, from an earlier scrape or crawl. Null: none, or it is the id of another
   * parcel of the source.
   */
  storedNumber: string | null
  /** For a parcel that is not stored: the id of a stored parcel of the source that differs in punctuation or case only. Null: none. */
  otherSpelling: string | null
  /** What the portal said with the last scrape, for a conditional request. */
  validators: { etag: string | null; lastModified: string | null }
}

export interface ScrapeOverrides {
  vendorKey?: string
  pacsPropId?: number
  ownerName?: string
  situsAddress?: string
}

/** Raw documents, or word that nothing changed since the validators (304). */
export type Fetched = { documents: RawDocument[] } | { notModified: true }

/** One answer of a portal, as it came. */
export interface RawDocument {
  /** What the adapter calls it: `property`, `tax-history`. */
  name: string
  url: string
  status: number
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string
  /** ISO 8601, UTC, three decimals. */
  fetchedAt: string
}

/** Fields of the parcel itself, beside the scrape. Absent: the page does not show it, and what is stored stays. Money is whole dollars. */
export interface ParcelFields {
  geom?: MultiPolygon
  acreage?: number
  ownerName?: string
  ownerNamesAll?: string[]
  ownerMailingAddress?: string
  situsAddress?: string
  situsCity?: string
  situsState?: string
  situsZip?: string
  landUseClass?: string
  zoningCode?: string
  zoningDescription?: string
  isAgricultural?: boolean
  assessedValue?: number
  valueLand?: number
  valueImprovement?: number
}

export interface ScrapedParcel {
  fields: ParcelFields
  scrape: Scrape
}

export interface ReadParcel extends ScrapedParcel {
  /**
   * Whose documents these are: the number that is the source's `source_parcel_id` (by its config), as each document shows it. It
   * is read from the documents, never taken from the target.
   */
  shownIds: readonly string[]
}

export interface FetchContext {
  /** Polite by itself: spacing per host, `Retry-After`, robots.txt, one User-Agent, no private addresses. */
  http: HttpClient
  /** A page of its own for this job, closed after it. Null outside of workers. */
  openPage: (() => Promise<BrowserPage>) | null
  /** Aborts when the job is cancelled, its time is up, or it is over. */
  signal: AbortSignal
}

export interface HttpClient {
  /**
   * One exchange. Any status comes back as a document; redirects are followed, each checked like the first address.
   *
   * @throws ScrapeError `network`, `timeout`, `throttled` (the host asked to be left alone a while ago), `blocked` (its
   * robots.txt says no), `bad_config` (an address that may not be asked); the signal's reason when the job is aborted
   */
  request: (request: HttpRequest) => Promise<RawDocument>
  /**
   * Cookies are shared by the jobs of a source. This is the same client with an empty jar, for portals that keep in the session
   * which parcel is shown: two jobs at once would see each other's.
   */
  withOwnCookies: () => HttpClient
}

export interface HttpRequest {
  /** Becomes the document's. */
  name: string
  url: string
  method?: 'GET' | 'POST'
  headers?: Readonly<Record<string, string>>
  /** Sent as a form, or as JSON. */
  form?: Readonly<Record<string, string>>
  json?: unknown
}

/** The part of a playwright page that adapters use. */
export type BrowserPage = import('playwright-core').Page

export interface CrawlSource {
  source: string
  baseUrl: string
  state: string
  countyName: string
  /** Where the last crawl stopped: a page's `cursor`. Null: from the start. */
  cursor: string | null
}

export interface CrawlPage {
  parcels: (ScrapedParcel & { sourceParcelId: string })[]
  /** How many features or rows the page was made of. */
  records: number
  /** Features that could not be taken, each with its reason: they are told, not lost. */
  rejected: { what: string; reason: string }[]
  /** Give it to the next crawl to go on after this page. Null: this was the last. */
  cursor: string | null
  /** Of the whole layer, where it says so. */
  total: number | null
}

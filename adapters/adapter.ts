import type { Static, TSchema } from '@sinclair/typebox'
import type { MultiPolygon } from 'geojson'
import type { ParcelValues } from '../core/parcels/fields'
import type { ReadingReport } from './reading/page/reading-report'
import type { Scrape } from './scrape'

/**
 * An adapter reads the portals of one vendor, in two halves: `fetch` talks to the portal and returns raw documents; `parse` turns
 * them into fields and does no I/O. Differences between counties are data in `vendor_config`, checked by the
 * adapter's own schema.
 *
 * The functions are declared as methods so that a list can hold adapters with different `Config` types. They do not use `this`.
 */
export interface Adapter<Config extends TSchema = TSchema> {
  /** Slug of the vendor: the name of the adapter's folder. */
  vendor: string
  /** How well the vendor's pages are known. Its README gives the reason for the grade. */
  grade: Grade
  /** States (2-letter codes) whose pages are known better or worse than those of other states. */
  gradeByState?: Readonly<Record<string, Grade>>
  /** Whether the pages need a browser. Such adapters run in workers, never inside the API. */
  needsBrowser: boolean
  /** The schema of `vendor_config`: closed, with a description of every field. */
  config: Config
  /**
   * Fetches the documents about `target`, in the order of the requests.
   *
   * @throws ScrapeError as soon as the portal refuses or shows a page other than the requested one
   */
  fetch(target: ScrapeTarget, config: Static<Config>, context: FetchContext): Promise<Fetched>
  /**
   * Pure: the same documents give the same result. Call it through `readScrape`, which checks that the page belongs to the target.
   *
   * @throws ScrapeError `page_changed` naming the missing label or table, `wrong_parcel`, `not_found`, `blocked`, `maintenance`
   */
  parse(documents: readonly RawDocument[], target: ScrapeTarget, config: Static<Config>): ReadParcel
  /**
   * Reads every parcel of a layer, page by page; for portals that publish whole layers. Its `config` has `max_records` (`mostRecords` of
   * `reading/record-map.ts`): a crawl fails before it stores more than that.
   */
  crawl?(source: CrawlSource, config: Static<Config>, context: FetchContext): AsyncIterable<CrawlPage>
}

/**
 * How well a vendor's pages are known. The grade is for this knowledge, not for the code: a B adapter may still refuse every page.
 *
 * - `A`: the adapter was compared with complete real pages or responses
 * - `B`: excerpts or trimmed pages exist, or at least two independent projects agree
 * - `C`: one other project, or prose
 */
export const GRADES = ['A', 'B', 'C'] as const
export type Grade = (typeof GRADES)[number]

export const gradeIn = ({ grade, gradeByState }: Pick<Adapter, 'grade' | 'gradeByState'>, state: string): Grade =>
  gradeByState?.[state] ?? grade

/** All grades of a vendor as its README shows them: `B (TX: A)`. */
export const formatGrade = ({ grade, gradeByState = {} }: Pick<Adapter, 'grade' | 'gradeByState'>): string => {
  const others = Object.entries(gradeByState).map(([state, other]) => `${state}: ${other}`)
  return others.length === 0 ? grade : `${grade} (${others.join(', ')})`
}

/** The parcel to scrape, and what the service already knows about it. */
export interface ScrapeTarget {
  source: string
  sourceParcelId: string
  /** The source's base URL, without a trailing slash. Often the portal's search page: build on it with `portalUrl`. */
  baseUrl: string
  state: string
  countyName: string
  /** How to query the portal when its key is not the parcel's id (body of scrape-now). Does not change which page may be stored. */
  overrides: ScrapeOverrides
  /**
   * The parcel number in the stored scrape data, from an earlier scrape or crawl. Null: there is none, or it is the id of another
   * parcel of the source.
   */
  storedNumber: string | null
  /** Set when the parcel is not stored: the id of a stored parcel of the source that differs only in punctuation or case. Null: none. */
  otherSpelling: string | null
  /** Validators from the last scrape, for a conditional request. */
  validators: { etag: string | null; lastModified: string | null }
  /** Whether the report lists the pages' labels with their values, for a person who compares them. Default: false. */
  listsLabels?: boolean
}

export interface ScrapeOverrides {
  vendorKey?: string
  pacsPropId?: number
  ownerName?: string
  situsAddress?: string
}

/** Raw documents, or `notModified` when the portal answered 304. */
export type Fetched = { documents: RawDocument[] } | { notModified: true }

/** One response of a portal, unchanged. */
export interface RawDocument {
  /** The adapter's name for it: `property`, `tax-history`. */
  name: string
  url: string
  status: number
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string
  /** ISO 8601, UTC, three decimals. */
  fetchedAt: string
}

/** Fields of the parcel itself, in addition to the scrape. Absent: the page does not show the field, and the stored value stays. */
export type ParcelFields = { geom?: MultiPolygon } & Partial<ParcelValues>

export interface ScrapedParcel {
  fields: ParcelFields
  scrape: Scrape
  /**
   * The URL of the page that shows the parcel, for the change log. For a crawl it is the URL of the layer, because the query of
   * one page is longer than most changes.
   */
  page?: string
  /** Labels that the adapter did not read, and warnings. Not part of the record. */
  report?: ReadingReport
}

export interface ReadParcel extends Omit<ScrapedParcel, 'page' | 'report'> {
  /**
   * The parcel that each document belongs to: the number that the config declares to be the `source_parcel_id`, as shown in the
   * document. Read from the documents, never copied from the target.
   */
  shownIds: readonly string[]
}

export interface FetchContext {
  /** The polite client: spacing per host, `Retry-After`, robots.txt, one User-Agent, no private addresses. */
  http: HttpClient
  /** Opens a browser page for this job; it is closed when the job ends. Null outside workers. */
  openPage: (() => Promise<BrowserPage>) | null
  /** Aborts when the job is cancelled, times out or ends. */
  signal: AbortSignal
}

export interface HttpClient {
  /**
   * Sends one request. A response with any status is returned as a document. Redirects are followed; each is checked like the first URL.
   *
   * @throws ScrapeError `network`, `timeout`, `throttled` (the host sent `Retry-After` recently), `blocked` (robots.txt
   * disallows it), `bad_config` (the URL is not allowed); the signal's reason when the job is aborted
   */
  request: (request: HttpRequest) => Promise<RawDocument>
  /**
   * Jobs of a source share cookies. This returns the same client with an empty cookie jar, for portals that keep the current parcel
   * in the session: otherwise two concurrent jobs would see each other's parcel.
   */
  withOwnCookies: () => HttpClient
}

export interface HttpRequest {
  /** The name of the document. */
  name: string
  url: string
  method?: 'GET' | 'POST'
  headers?: Readonly<Record<string, string>>
  /** Body, sent as a form or as JSON. */
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
  /** The `cursor` of the page at which the last crawl stopped. Null: start from the beginning. */
  cursor: string | null
  /** The number of records before the cursor. */
  records: number
}

export interface CrawlReject {
  /** The name of the record in messages. */
  what: string
  reason: string
  /** The parcel of the record, if the record says it. The layer still lists this parcel, so it is not retired. */
  sourceParcelId?: string
}

export interface CrawlPage {
  parcels: (ScrapedParcel & { sourceParcelId: string })[]
  /** The number of features or rows on the page. */
  records: number
  /** Features that could not be read, so that the crawl can report them. */
  rejected: CrawlReject[]
  /** Pass it to the next crawl to continue after this page. Null: this was the last page. */
  cursor: string | null
  /** The number of records in the whole layer, if the layer reports it. */
  total: number | null
}

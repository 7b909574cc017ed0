import type { CrawlPage, CrawlSource, HttpRequest, RawDocument, ScrapeTarget } from '../../../adapters/adapter'
import type { ScrapeErrorCode } from '../../../adapters/scrape-error'
import type { SettledScrape } from '../fetch/settle-scrape'

/*
 * What a service process and its readers say to each other. A reader is told one thing at a time and answers when it can do no more
 * without an answer: that is a turn. Everything about one scrape or crawl carries the number of its session.
 */

export type Work =
  | { kind: 'scrape'; vendor: string; target: ScrapeTarget; config: unknown }
  /** Only the second half: what needs a browser is fetched elsewhere. */
  | { kind: 'parse'; vendor: string; target: ScrapeTarget; config: unknown; documents: RawDocument[] }
  | { kind: 'crawl'; vendor: string; source: CrawlSource; config: unknown }

/** An error on its way to another process. Null code: it is no ScrapeError, but a fault of ours. */
export interface SentError {
  code: ScrapeErrorCode | null
  message: string
  retryAfterMs: number | null
  stack: string | undefined
}

export type Told =
  | { session: number; work: Work }
  | { session: number; request: number; document: RawDocument }
  | { session: number; request: number; error: SentError }
  /** The page of a crawl was stored: read the next one. */
  | { session: number; next: true }
  /** Nobody waits for this session any more. It is no turn, and is not answered. */
  | { session: number; forget: true }

export type Said =
  /** `jar` 0: the cookies of the source; others are of this session alone. */
  | { request: number; jar: number; asked: HttpRequest }
  /** JSON of a `ReadOutcome`. */
  | { parcel: string }
  | { page: SentPage }
  | { isOver: true }
  /** `of` is the request that failed with it, if it is nobody else's. */
  | { error: SentError; of: number | null }

export type ReadOutcome = SettledScrape | 'not-modified'

/** A page in pieces, each JSON of some parcels: the service's own thread does other work between two of them. */
export interface SentPage extends Omit<CrawlPage, 'parcels'> {
  parcels: string[]
}

/** A reader's answer to what it was told; the first one, without a session, says that it is ready. */
export interface Turn {
  said: Said[]
}

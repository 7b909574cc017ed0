import type { CrawlPage, CrawlSource, HttpRequest, RawDocument, ScrapeTarget } from '../../../adapters/adapter'
import type { ScrapeErrorCode } from '../../../adapters/scrape-error'
import type { FailureClassName } from '../../../core/sources/failure-classes'
import type { StoredGoldenPage } from '../../../drizzle/queries/sources/source-proofs'
import type { SettledScrape } from '../fetch/settle-scrape'
import type { PageSet } from '../pages/page-set'
import type { Vocabulary } from '../prove/anonymize'

/*
 * Messages between a service process and its readers. A reader receives one message at a time and answers when it cannot continue
 * without a reply. That is called a turn. Every message about a scrape or crawl has the number of its session.
 */

/** Stored responses, and the time of each. */
export interface AnswersToReplay {
  set: PageSet
  answeredAt: string[]
}

export type Work =
  | { kind: 'scrape'; vendor: string; target: ScrapeTarget; config: unknown }
  /** Only parses: pages that need a browser are fetched elsewhere. */
  | { kind: 'parse'; vendor: string; target: ScrapeTarget; config: unknown; documents: RawDocument[] }
  /** Reads stored responses. It needs no requests, so it is one turn. */
  | { kind: 'replay'; vendor: string; target: ScrapeTarget; config: unknown; answers: AnswersToReplay }
  | { kind: 'crawl'; vendor: string; source: CrawlSource; config: unknown }
  /** Removes names and numbers from a golden page. One turn, like `replay`. */
  | { kind: 'anonymize'; vendor: string; golden: StoredGoldenPage; vocabulary: Vocabulary }

/** An error sent to another process. Null code: not a ScrapeError but a bug. */
export interface SentError {
  code: ScrapeErrorCode | null
  message: string
  retryAfterMs: number | null
  failureClass: FailureClassName | null
  stack: string | undefined
}

export type Told =
  | { session: number; work: Work }
  | { session: number; request: number; document: RawDocument }
  | { session: number; request: number; error: SentError }
  /** The page of a crawl was stored. Read the next one. */
  | { session: number; next: true }
  /** The session is no longer needed. This is not a turn and gets no answer. */
  | { session: number; forget: true }

export type Said =
  /** `jar` 0: the cookies of the source; other jars belong to this session. */
  | { request: number; jar: number; asked: HttpRequest }
  /** JSON of a `ReadOutcome`. */
  | { parcel: string }
  | { page: SentPage }
  /** JSON of an `Anonymized`. */
  | { golden: string }
  | { isOver: true }
  /** `of` is the request that failed with this error, if any. */
  | { error: SentError; of: number | null }

export type ReadOutcome = SettledScrape | 'not-modified'

/** A page in pieces, each the JSON of some parcels, so that the service's thread can do other work between two pieces. */
export interface SentPage extends Omit<CrawlPage, 'parcels'> {
  parcels: string[]
}

/** A reader's answer to a message. The first one has no session and means that it is ready. */
export interface Turn {
  said: Said[]
}

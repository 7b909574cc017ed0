import type { Static, TSchema } from '@sinclair/typebox'
import type { Adapter, CrawlPage, CrawlSource, FetchContext, ScrapeTarget } from '../../../adapters/adapter'
import { readScrape } from '../../../adapters/read-scrape'
import { settleScrape } from '../fetch/settle-scrape'
import { createReplayClient, withKeptPages } from '../pages/replay-client'
import type { AnswersToReplay, ReadOutcome } from './messages'

/** Runs adapters. Portals' responses are parsed only there. */
export interface Readers {
  /** @throws ScrapeError as adapters do; `too_large` when the responses take more time or memory than a page may */
  scrape: (scrape: AdapterScrape, context: FetchContext) => Promise<ReadOutcome>
  /**
   * Reads stored responses as if a portal had sent them. No request is sent.
   *
   * @throws ScrapeError as `scrape`
   */
  replay: (scrape: AdapterScrape, answers: AnswersToReplay) => Promise<ReadOutcome>
  /** @throws ScrapeError as `scrape` */
  crawl: (crawl: AdapterCrawl, context: FetchContext) => AsyncIterable<CrawlPage>
}

export interface AdapterScrape {
  adapter: Adapter
  target: ScrapeTarget
  /** Validated by the adapter's schema. */
  config: Static<TSchema>
}

export interface AdapterCrawl {
  adapter: Adapter & Required<Pick<Adapter, 'crawl'>>
  source: CrawlSource
  config: Static<TSchema>
}

/** Runs adapters in this thread, without bounds: for operators' commands, and tests with adapters that no other process has. */
export const readHere: Readers = {
  scrape: async ({ adapter, target, config }, context) => {
    const fetched = await adapter.fetch(target, config, context)
    if ('notModified' in fetched) return 'not-modified'
    return settleScrape(target.sourceParcelId, readScrape(adapter, fetched.documents, target, config))
  },
  replay: ({ adapter, ...scrape }, { set, answeredAt }) =>
    readHere.scrape(
      { ...scrape, adapter: withKeptPages(adapter, set, answeredAt) },
      { http: createReplayClient(set, answeredAt), openPage: null, signal: new AbortController().signal },
    ),
  crawl: ({ adapter, source, config }, context) => adapter.crawl(source, config, context),
}

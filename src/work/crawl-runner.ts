import type { Logger } from 'pino'
import { RETRYABLE, ScrapeError } from '../../adapters/scrape-error'
import { countNoun } from '../../core/text/count-noun'
import { STAGED } from '../../drizzle/queries/crawls/advance-crawl'
import { sweepCrawls } from '../../drizzle/queries/crawls/sweep-crawls'
import { getCounty } from '../../drizzle/queries/sources/sources'
import { payloadOf } from '../../drizzle/queries/work/claim-work'
import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import { applyCrawl } from '../loads/apply-crawl'
import { SlowLayer } from '../scrape/fetch/crawl-pace'
import { type CrawlDeps, crawlSource, MAX_FAILURES } from '../scrape/fetch/crawl-source'
import type { PageCounts } from '../scrape/store/store-crawl-page'
import type { WorkRunner } from './runner'

/** Callbacks for the progress of this process's crawls. */
export interface CrawlWatcher {
  onStored: (vendor: string, counts: PageCounts) => void
  /** Called when a crawl is done or has permanently failed, but not when it was cancelled. */
  onEnded: (vendor: string, state: 'done' | 'error') => void
}

export interface CrawlRunnerDeps extends CrawlDeps {
  /** The vendors whose adapters can crawl. */
  vendors: readonly string[]
  log: Logger
  watcher?: CrawlWatcher
}

/** Each crawl keeps one page in memory. */
const MAX_AT_ONCE = 2
/** How many rejected records one log line lists. */
const MAX_LOGGED = 5

/** Scrapes whole sources, page by page. */
export const createCrawlRunner = ({ vendors, log, watcher, ...deps }: CrawlRunnerDeps): WorkRunner => ({
  kind: WORK_KINDS.crawl,
  mostAtOnce: MAX_AT_ONCE,
  mostFailures: MAX_FAILURES,
  vendors,
  sweep: sweepCrawls,
  isWorthRetrying: (error) => error instanceof ScrapeError && RETRYABLE[error.code],
  onEnded: ({ vendor }, status) => watcher?.onEnded(vendor ?? '', status),
  run: async (work, { sql, signal, hasAdvanced }) => {
    const { id, attempt, cursor, done } = work
    const { base_url: baseUrl, vendor_config: vendorConfig } = payloadOf(WORK_KINDS.crawl, work)
    const [source, vendor] = [work.source ?? '', work.vendor ?? '']
    const { state, countyName } = await getCounty(sql, source)
    if (cursor !== STAGED) {
      let hasRead = false
      const crawled = crawlSource(
        deps,
        { id, attempt, source, vendor, baseUrl, state, countyName, vendorConfig, cursor, records: done },
        {
          signal,
          onPage: ({ rejected }, counts) => {
            hasRead = true
            watcher?.onStored(vendor, counts)
            if (rejected.length > 0) {
              const about = { work: id, source, attempt, rejected: rejected.slice(0, MAX_LOGGED) }
              log.warn(about, `${countNoun(rejected.length, 'record')} rejected`)
            }
          },
        },
      )
      await crawled.catch((error) => {
        if (hasRead && !(error instanceof SlowLayer)) hasAdvanced()
        throw error
      })
      hasAdvanced()
    }
    await applyCrawl(sql, work, { signal, log, deps })
    // The transaction of the last step has already ended the crawl and stored its counts.
    return {}
  },
})

import type { Adapter, CrawlPage, FetchContext } from '../../../adapters/adapter'
import type { Place } from '../../../adapters/browser/visits'
import { checkConfig } from '../../../adapters/check-config'
import type { Waiting } from '../../../adapters/http/host-turns'
import { ScrapeError } from '../../../adapters/scrape-error'
import { LAYER_RECORDS } from '../../../core/bounds'
import { withSpan } from '../../../core/observe/with-span'
import type { Sql } from '../../../core/postgres/database'
import { formatCount } from '../../../core/text/count-noun'
import { type Readers, readHere } from '../readers/readers'
import { persist } from '../store/persist'
import { type PageCounts, storeCrawlPage } from '../store/store-crawl-page'
import type { StoreOutcome } from '../store/store-scrape'
import type { StoreDeps } from '../store/write-scrapes'
import { boundReject } from './bound-scrape'
import { CrawlPace, type Pace } from './crawl-pace'
import { noteRedirect } from './note-redirect'
import { watchPlaces } from './watch-places'

/** A claimed crawl: its state, and the number of the attempt. */
export interface CrawlAttempt {
  id: string
  attempt: number
  source: string
  vendor: string
  baseUrl: string
  state: string
  countyName: string
  vendorConfig: Record<string, unknown>
  cursor: string | null
  /** Features or rows of the pages that are stored. */
  records: number
}

export interface CrawlDeps extends StoreDeps {
  sql: Sql
  findAdapter: (vendor: string) => Adapter | null
  /** The fetch context for one attempt to crawl a source. */
  createContext: (source: string, signal: AbortSignal, waiting?: Waiting) => FetchContext
  /** Where the adapter runs. Default: in this thread. */
  readers?: Readers
  /** How fast a layer must send its records. */
  pace?: Pace
}

/** A crawl fails after this many attempts in a row without a page: with the growing pauses between them, about six hours. */
export const MAX_FAILURES = 8

/**
 * Crawls a source from the crawl's cursor to the end, page by page: requests a page, stores or stages it, requests the next.
 * One page is in memory at a time. Returns `superseded` when the crawl was ended or another worker has it; nothing is stored after that.
 * `onPage` is called after each page with the counts of its records.
 *
 * @throws ScrapeError as adapters do; `bad_config` when no adapter fits; `too_large` when the layer sends more records than allowed (the
 * pages so far are treated like those of a cancelled crawl); `SlowLayer`; the signal's reason when it aborts
 */
export const crawlSource = async (
  { sql, findAdapter, createContext, readers = readHere, review, pace: least }: CrawlDeps,
  crawl: CrawlAttempt,
  { signal, onPage = () => {} }: { signal: AbortSignal; onPage?: (page: CrawlPage, counts: PageCounts) => void },
): Promise<StoreOutcome> => {
  const { source, vendor, baseUrl, state, countyName, cursor } = crawl
  const adapter = findAdapter(vendor)
  if (adapter?.crawl === undefined) throw new ScrapeError('bad_config', `${vendor} cannot be crawled`)
  // The HTTP client refuses private addresses later.
  const config = checkConfig(adapter.config, crawl.vendorConfig, { allowPrivate: true })
  const pace = new CrawlPace(least)
  // A crawl is never sent away: it waits for each of its turns.
  const waiting = { longestMs: Number.POSITIVE_INFINITY, pause: () => pace.pause() }
  const places = watchPlaces(createContext(source, AbortSignal.any([signal, pace.signal]), waiting))
  const pages = readers.crawl(
    {
      adapter: { ...adapter, crawl: adapter.crawl },
      source: { source, baseUrl, state, countyName, cursor, records: crawl.records },
      config,
    },
    places.context,
  )
  let { records } = crawl
  try {
    for await (const brought of explained(pages, { last: places.last, pace })) {
      pace.note(brought.records)
      records += brought.records
      const total = isCount(brought.total) ? brought.total : null
      expectBoundedLayer(records, total, config as { max_records?: number })
      const page = { ...brought, total, rejected: brought.rejected.map(boundReject) }
      const resume = pace.pause()
      const counts = await withSpan('store crawl page', { source }, () =>
        // The page is stored exactly once.
        persist(() => storeCrawlPage(sql, { review }, crawl, page), { isOver: () => signal.aborted }),
      )
      resume()
      if (counts === 'superseded') return counts
      onPage(page, counts)
      signal.throwIfAborted()
    }
  } finally {
    pace.stop()
  }
  return 'stored'
}

/** The pages. If a page cannot be read because the portal redirected elsewhere or is too slow, the error says so. */
async function* explained(
  pages: AsyncIterable<CrawlPage>,
  { last, pace }: { last: () => Place | null; pace: CrawlPace },
): AsyncIterable<CrawlPage> {
  try {
    yield* pages
  } catch (error) {
    // A reader returns a copy of the error.
    if (pace.signal.aborted) throw pace.signal.reason
    throw noteRedirect(error, last())
  }
}

/** @throws ScrapeError `too_large`. A layer that sends records endlessly would fill the disk. */
const expectBoundedLayer = (records: number, total: number | null, { max_records }: { max_records?: number }): void => {
  const { times, plus, most } = LAYER_RECORDS
  const bound = max_records ?? (total === null ? most : Math.min(times * total + plus, most))
  if (records <= bound) return
  const [sent, allowed] = [records, bound].map(formatCount)
  const count = total === null ? 'unknown' : formatCount(total)
  const reason = max_records === undefined ? `${times} times its count plus ${formatCount(plus)}` : 'max_records'
  throw new ScrapeError(
    'too_large',
    `the layer says its record count is ${count}, but it has sent ${sent}; a crawl takes at most ${allowed} (${reason}). If the layer is really that large, raise max_records in vendor_config and crawl again`,
  )
}

/** Layers may report any number. */
const isCount = (total: number | null): boolean => Number.isSafeInteger(total) && (total as number) >= 0

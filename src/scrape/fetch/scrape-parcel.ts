import type { Adapter, FetchContext, ScrapeOverrides, ScrapeTarget } from '../../../adapters/adapter'
import { checkConfig } from '../../../adapters/check-config'
import type { Waiting } from '../../../adapters/http/host-turns'
import { ScrapeError } from '../../../adapters/scrape-error'
import { SCRAPE_LIMIT_MS } from '../../../adapters/scrape-limits'
import { batchCalls } from '../../../core/concurrency/batch-calls'
import { untilAborted } from '../../../core/concurrency/until-aborted'
import type { Sql } from '../../../core/postgres/database'
import { isConnectionLost } from '../../../core/postgres/transient-errors'
import { ServiceError } from '../../../core/service-error'
import { findScrapeTargets, type ScrapeTargetRow } from '../../../drizzle/queries/sources/find-scrape-targets'
import type { LabelCounter } from '../labels/count-labels'
import type { KeptPage, PageKeeper } from '../pages/keep-pages'
import { recordAnswers } from '../pages/record-answers'
import type { ReadOutcome } from '../readers/messages'
import { type AdapterScrape, type Readers, readHere } from '../readers/readers'
import { describeFailure } from './describe-failure'
import { noteRedirect } from './note-redirect'
import { ScrapeClock } from './scrape-clock'
import { watchPlaces } from './watch-places'

/** While a job waits to start, it occupies a slot of its vendor that a job for another county could use. */
const LONGEST_WAIT_MS = 30_000
const MAX_LOOKUPS = 200

export interface ScraperDeps {
  sql: Sql
  findAdapter: (vendor: string) => Adapter | null
  /** The fetch context for one scrape of a source. */
  createContext: (source: string, signal: AbortSignal, waiting: Waiting) => FetchContext
  /** Where the adapter runs. Default: in this thread. */
  readers?: Readers
  /** Keeps the pages of each scrape. Null: no pages are kept. */
  keeper?: PageKeeper | null
  /** Counts the labels on pages that are not read. Null: nothing is counted. */
  labels?: LabelCounter | null
  timeLimitMs?: { plain: number; browser: number }
  /** How long it may wait for its first turn at a host. */
  longestWaitMs?: number
}

export interface ScrapeRequest {
  source: string
  sourceParcelId: string
  overrides?: ScrapeOverrides
  /** Its source and the stored parcel, if the caller has just read them. */
  target?: ScrapeTargetRow
}

/** The result of a scrape. `not-modified`: the portal answered 304. */
export interface ScrapeOutcome {
  vendor: string
  scraped: ReadOutcome
  /** How long it waited for its turns at hosts. */
  waitedMs: number
  /** The responses that it was read from; null if they are not stored. */
  kept: KeptPage | null
}

/** `onWait` is called each time the scrape waits for its turn at a host. */
export type ScrapeParcel = (
  request: ScrapeRequest,
  options: { signal: AbortSignal; onWait?: () => void },
) => Promise<ScrapeOutcome>

/**
 * Scrapes one parcel: finds the adapter of its source's vendor, fetches and parses. Stores nothing. Ends immediately when
 * `signal` aborts, with its reason, even if the adapter ignores the signal.
 *
 * @throws ServiceError `not_found` for an unknown source
 * @throws PutOff when no request may be sent to the host now, for example because it sent another scrape a Retry-After
 * @throws ScrapeError as adapters do; `timeout` after the time limit, `bad_config` when no adapter fits
 */
export const createScrapeParcel = ({
  sql,
  findAdapter,
  createContext,
  readers = readHere,
  keeper = null,
  labels = null,
  timeLimitMs = SCRAPE_LIMIT_MS,
  longestWaitMs = LONGEST_WAIT_MS,
}: ScraperDeps): ScrapeParcel => {
  const findTarget = batchCalls(
    async (requests: ScrapeRequest[]) => {
      const rows = await findScrapeTargets(sql, requests)
      const keyOf = ({ source, sourceParcelId }: ScrapeRequest) => JSON.stringify([source, sourceParcelId])
      const byKey = new Map(rows.map((row) => [keyOf(row), row]))
      return requests.map((request) => byKey.get(keyOf(request)))
    },
    { mostItems: MAX_LOOKUPS, isEveryones: isConnectionLost },
  )

  return async (request, options) => {
    const row = request.target ?? (await findTarget(request))
    if (row === undefined) throw new ServiceError('not_found', `unknown source: ${request.source}`)
    const adapter = findAdapter(row.vendor)
    if (adapter === null) throw new ScrapeError('bad_config', `there is no adapter for the vendor ${row.vendor}`)
    const limitMs = adapter.needsBrowser ? timeLimitMs.browser : timeLimitMs.plain
    const limit = new AbortController()
    const clock = new ScrapeClock(limitMs, () =>
      limit.abort(new ScrapeError('timeout', scrapeTookTooLong(row.baseUrl, limitMs))),
    )
    const pause = () => {
      options.onWait?.()
      return clock.pause()
    }
    const signal = AbortSignal.any([options.signal, limit.signal])
    const overrides = request.overrides ?? {}
    const places = watchPlaces(createContext(row.source, signal, { longestMs: longestWaitMs, pause }))
    const recording = recordAnswers(adapter, places.context)
    const keep = (error: unknown = null): KeptPage | null => {
      const { source, sourceParcelId, vendor } = row
      const failure = error === null ? null : describeFailure(error)
      if (keeper === null) return null
      return keeper.keep({ source, sourceParcelId, adapter: vendor, overrides, failure, ...recording.list() })
    }
    try {
      const running = runAdapter(readers, recording.adapter, row, overrides, recording.context)
      const scraped = await untilAborted(signal, running)
      const isNew = scraped !== 'not-modified'
      if (!isNew) keeper?.confirm(row)
      if (isNew && scraped.report !== undefined) labels?.note(row.source, scraped.report.unread)
      return { vendor: row.vendor, scraped, waitedMs: clock.waitedMs, kept: isNew ? keep() : null }
    } catch (cause) {
      if (options.signal.aborted) throw cause
      const error = noteRedirect(cause, places.last())
      keep(error)
      throw error
    } finally {
      clock.stop()
      // Closes open browser pages.
      limit.abort(new ScrapeError('timeout', 'the scrape is over'))
    }
  }
}

const runAdapter = async (
  readers: Readers,
  adapter: Adapter,
  row: ScrapeTargetRow,
  overrides: ScrapeOverrides,
  context: FetchContext,
): Promise<ReadOutcome> => {
  const { etag, lastModified } = row
  // Overrides can select another page, so the validators of the stored page do not apply.
  const isSamePage = Object.keys(overrides).length === 0
  const validators = isSamePage ? { etag, lastModified } : NO_VALIDATORS
  const read = await readers.scrape(describeScrape(adapter, row, { overrides, validators }), context)
  if (read === 'not-modified' && validators.etag === null && validators.lastModified === null) {
    throw new ScrapeError('page_changed', 'the portal returned 304 to a request without conditions')
  }
  return read
}

export const NO_VALIDATORS = { etag: null, lastModified: null }

/** @throws ScrapeError `bad_config` */
export const describeScrape = (
  adapter: Adapter,
  row: ScrapeTargetRow,
  { overrides, validators }: Pick<ScrapeTarget, 'overrides' | 'validators'>,
): AdapterScrape => {
  const { source, sourceParcelId, baseUrl, state, countyName, storedNumber, otherSpelling } = row
  return {
    adapter,
    target: { source, sourceParcelId, baseUrl, state, countyName, overrides, storedNumber, otherSpelling, validators },
    // The HTTP client refuses private addresses later.
    config: checkConfig(adapter.config, row.vendorConfig, { allowPrivate: true }),
  }
}

/** The message for a scrape that exceeded its time limit. */
export const scrapeTookTooLong = (baseUrl: string, limitMs: number): string =>
  `the scrape of ${URL.canParse(baseUrl) ? new URL(baseUrl).host : 'the portal'} took longer than ${limitMs / 1000} s`

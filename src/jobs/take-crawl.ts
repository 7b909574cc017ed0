import type { Logger } from 'pino'
import { PutOff } from '../../adapters/http/host-turns'
import { RETRYABLE, ScrapeError } from '../../adapters/scrape-error'
import { isTransient } from '../../core/postgres/transient-errors'
import { ServiceError } from '../../core/service-error'
import { type ClaimedCrawl, claimCrawl } from '../../drizzle/queries/crawls/claim-crawl'
import { failCrawl, handBackCrawl } from '../../drizzle/queries/crawls/end-crawl-try'
import { extendCrawlLease } from '../../drizzle/queries/crawls/extend-crawl-lease'
import { type CrawlDeps, crawlSource, MOST_FAILURES } from '../scrape/fetch/crawl-source'
import { describeFailure } from '../scrape/fetch/describe-failure'
import { HEARTBEAT_MS, LEASE_MS } from '../scrape/lease'
import type { PageCounts } from '../scrape/store/store-crawl-page'
import { retryDelayMs } from './retry-delay'

/** Hears what this process does of crawls. */
export interface CrawlWatcher {
  onStored: (vendor: string, counts: PageCounts) => void
  /** Done, or given up; not for a crawl that somebody cancelled. */
  onEnded: (vendor: string, state: 'done' | 'error') => void
}

export interface TakeCrawlDeps extends CrawlDeps {
  /** Those whose adapters can crawl. */
  vendors: readonly string[]
  log: Logger
  watcher?: CrawlWatcher
  leaseMs?: number
  heartbeatMs?: number
  retryDelay?: typeof retryDelayMs
  /** Called when the database has been told that the crawl goes on. */
  onTurn?: () => void
}

/** Rejects that a line of the log names. */
const MOST_LOGGED = 5

/** The crawl was ended, or somebody else has it. */
class Lost extends Error {}

/**
 * Takes a crawl that waits, or the one of that `id`, and goes on with it until its end, a failure, or `signal`. False: there was
 * none to take. While it runs its lease is extended; a worker that is late, cut off or doubled stores nothing.
 */
export const takeCrawl = async (
  deps: TakeCrawlDeps,
  { id = null, signal }: { id?: string | null; signal: AbortSignal },
): Promise<boolean> => {
  const { sql, vendors, log, watcher, leaseMs = LEASE_MS, heartbeatMs = HEARTBEAT_MS, retryDelay = retryDelayMs } = deps
  const crawl = await claimCrawl(sql, { vendors, id, leaseMs })
  if (crawl === null) return false
  const about = { crawl: crawl.id, source: crawl.source, attempt: crawl.attempt }
  log.info({ ...about, cursor: crawl.cursor }, 'a crawl goes on')
  const lost = new AbortController()
  const heart = setInterval(async () => {
    const isMine = await extendCrawlLease(sql, crawl, leaseMs).catch(() => null)
    if (isMine !== null) deps.onTurn?.()
    if (isMine === false) lost.abort(new Lost('the crawl is no longer this try'))
  }, heartbeatMs)
  let failures = crawl.failures
  try {
    const outcome = await crawlSource(deps, crawl, {
      signal: AbortSignal.any([signal, lost.signal]),
      onPage: ({ rejected }, counts) => {
        failures = 0
        watcher?.onStored(crawl.vendor, counts)
        if (rejected.length > 0)
          log.warn({ ...about, rejected: rejected.slice(0, MOST_LOGGED) }, `${rejected.length} records were rejected`)
      },
    })
    if (outcome === 'stored') watcher?.onEnded(crawl.vendor, 'done')
    log.info(about, outcome === 'stored' ? 'a crawl is done' : 'a crawl was ended by somebody else')
  } catch (error) {
    if (lost.signal.aborted) log.info(about, 'a crawl was ended by somebody else')
    else if (signal.aborted) await handBackCrawl(sql, crawl)
    else if (error instanceof PutOff) await handBackCrawl(sql, crawl, error.retryAfterMs)
    else if (isTransient(error)) {
      log.warn({ ...about, err: error }, 'the database is busy: a crawl waits')
      await handBackCrawl(sql, crawl, retryDelay(1, null))
    } else await fail(deps, { ...crawl, failures }, error)
  } finally {
    clearInterval(heart)
  }
  return true
}

const fail = async (
  { sql, log, watcher, retryDelay = retryDelayMs }: TakeCrawlDeps,
  { id, attempt, failures, source, vendor }: ClaimedCrawl,
  error: unknown,
): Promise<void> => {
  const { code, message, retryAfterMs } = describeFailure(error)
  const tries = failures + 1
  const isWorthIt = error instanceof ScrapeError && RETRYABLE[error.code] && tries < MOST_FAILURES
  const retryInMs = isWorthIt ? retryDelay(tries, retryAfterMs) : null
  if (error instanceof ServiceError) log.warn({ crawl: id, source, attempt, code, retryInMs }, message)
  else log.error({ crawl: id, source, attempt, err: error }, 'a crawl failed of a bug')
  await failCrawl(sql, { id, attempt, code, message, retryAfterMs, retryInMs })
  if (retryInMs === null) watcher?.onEnded(vendor, 'error')
}

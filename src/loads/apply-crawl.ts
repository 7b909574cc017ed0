import type { Sql } from '../../core/postgres/database'
import { findCrawlCounts } from '../../drizzle/queries/crawls/crawls'
import { findStoredLoad } from '../../drizzle/queries/loads/stored-load'
import type { ClaimedWork } from '../../drizzle/queries/work/claim-work'
import { recountLoaded } from '../coverage/recount-loaded'
import { persist } from '../scrape/store/persist'
import type { StoreDeps } from '../scrape/store/write-scrapes'
import { applyLoad } from './apply-load'
import { judgeLoad } from './judge-load'

/**
 * Compares a crawl whose pages are all staged with the parcels of its source, and applies it unless it is held. If its pages were stored
 * directly, it only counts the source.
 *
 * @throws WorkLost when another process has the crawl; the signal's reason when it aborts
 */
export const applyCrawl = async (
  sql: Sql,
  work: ClaimedWork,
  {
    signal,
    log,
    deps,
  }: { signal: AbortSignal; log: { warn: (about: object, message: string) => void }; deps: StoreDeps },
): Promise<void> => {
  const load = await findStoredLoad(sql, work.id)
  if (load === null) return
  if (load.status !== 'staging' && load.status !== 'applying') {
    const { inserted = 0, updated = 0 } = load.counts ?? {}
    return recountLoaded(sql, load.source, { changed: inserted + updated, signal })
  }
  const attempt = { ...load, work }
  const step = <Result>(run: () => Promise<Result>) => persist(run, { isOver: () => signal.aborted })
  signal.throwIfAborted()
  const counts = await findCrawlCounts(sql, work.id)
  const { status, verdict } = await step(() => judgeLoad(sql, attempt, counts))
  if (counts.total !== null && counts.read < counts.total) {
    log.warn({ work: work.id, source: load.source, ...counts }, 'a layer sent fewer records than it counts')
  }
  if (status === 'applying') await applyLoad(sql, attempt, { signal, step, deps })
  else
    log.warn(
      { work: work.id, source: load.source, checks: verdict.checks },
      'a crawl is held: it would change too much. Apply or discard it in the console',
    )
}

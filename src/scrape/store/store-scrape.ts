import type { ScrapedParcel } from '../../../adapters/adapter'
import { withSpan } from '../../../core/observe/with-span'
import type { Sql } from '../../../core/postgres/database'
import { removeVanishedFindings } from '../../../drizzle/queries/findings/vanished-findings'
import { completeJobs } from '../../../drizzle/queries/jobs/run/complete-jobs'
import { readStoredParcels, type StoredParcel } from '../../../drizzle/queries/parcels/read-stored-parcels'
import { touchScrapedParcels } from '../../../drizzle/queries/parcels/touch-scraped-parcels'
import type { SettledScrape } from '../fetch/settle-scrape'
import type { KeptPage } from '../pages/keep-pages'
import { parcelVanished } from '../review/rules/parcel-vanished'
import { checkScrape, type StoreDeps, writeScrapes } from './write-scrapes'

export interface ScrapeToStore {
  /** The attempt that produced the scrape; null for a scrape without a job. */
  job: { id: string; attempt: number } | null
  sourceParcelId: string
  vendor: string
  scraped: ScrapedParcel | SettledScrape | 'not-modified'
  /** The responses that it was read from, if they are stored. */
  kept?: KeptPage | null
  /** How long the attempt waited for its turns. */
  waitedMs?: number
}

/** `superseded`: the attempt is no longer the current one of a running job (cancelled, or given to another worker), and nothing was written. */
export type StoreOutcome = 'stored' | 'superseded'

/**
 * Stores one scrape: see `storeScrapes`.
 *
 * @throws ScrapeError `page_changed` for an invalid boundary, or a text or list that is too long
 */
export const storeScrape = async (
  sql: Sql,
  { review, source, ...scrape }: ScrapeToStore & StoreDeps & { source: string },
): Promise<StoreOutcome> => {
  const [outcome] = await withSpan('store scrape', { source }, () => storeScrapes(sql, { review }, source, [scrape]))
  if (outcome === undefined) throw new Error('storing returned no outcome')
  return outcome
}

/**
 * Stores scrapes of one source, each of a different parcel, in one transaction: parcel fields, scrape data, links to
 * entities and the search outbox (by triggers), findings, the job's status. A scrape with fewer fields than the previous one
 * removes nothing. A parcel that the service does not know is added.
 */
export const storeScrapes = async (
  sql: Sql,
  { review }: StoreDeps,
  source: string,
  scrapes: readonly ScrapeToStore[],
): Promise<StoreOutcome[]> => {
  const checked = new Map(scrapes.map((scrape) => [scrape, isScraped(scrape) ? checkScrape(scrape) : null]))
  return sql.begin(async (tx) => {
    // The statements are sent together.
    const [current, before] = await Promise.all([
      completeJobs(
        tx,
        scrapes.flatMap(({ job, waitedMs }) => (job === null ? [] : { ...job, waitedMs })),
      ),
      readStoredParcels(
        tx,
        source,
        scrapes.map(({ sourceParcelId }) => sourceParcelId),
      ),
    ])
    const isCurrent = ({ job }: ScrapeToStore) =>
      job === null || current.some(({ id, attempt }) => id === job.id && attempt === job.attempt)
    const valid = scrapes.filter(isCurrent)
    await writeScrapes(
      tx,
      { review },
      valid.flatMap((scrape) => checked.get(scrape) ?? []),
      { source, before, crawlId: null, replayId: null },
    )
    const unchanged = valid
      .filter((scrape) => !isScraped(scrape))
      .flatMap(({ sourceParcelId }) => before.get(sourceParcelId) ?? [])
    const ids = (parcels: readonly StoredParcel[]) => parcels.map(({ id }) => id)
    await touchScrapedParcels(tx, ids(unchanged))
    await removeVanishedFindings(tx, parcelVanished.rule, ids(unchanged.filter(({ findings }) => findings.length > 0)))
    return scrapes.map((scrape): StoreOutcome => (isCurrent(scrape) ? 'stored' : 'superseded'))
  }) as Promise<StoreOutcome[]>
}

type FreshScrape = ScrapeToStore & { scraped: ScrapedParcel | SettledScrape }

const isScraped = (scrape: ScrapeToStore): scrape is FreshScrape => scrape.scraped !== 'not-modified'

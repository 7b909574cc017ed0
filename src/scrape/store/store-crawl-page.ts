import type { CrawlPage } from '../../../adapters/adapter'
import { ScrapeError } from '../../../adapters/scrape-error'
import { cutText } from '../../../core/bounds'
import { PARCEL_TEXT } from '../../../core/parcel-fields'
import type { Sql, Transaction } from '../../../core/postgres/database'
import { advanceCrawl } from '../../../drizzle/queries/crawls/advance-crawl'
import { readStoredParcels } from '../../../drizzle/queries/parcels/read-stored-parcels'
import { lockWork } from '../../../drizzle/queries/work/advance-work'
import type { UpsertCounts } from '../../../drizzle/records'
import { RowFault } from '../../ingest/source-row'
import { isAboutData } from '../../ingest/write-batches'
import { boundScrapeData } from '../fetch/bound-scrape'
import { combineParts } from './combine-parts'
import { type CheckedScrape, checkScrape, type StoreDeps, writeScrapes } from './store-scrape'

type Rejected = CrawlPage['rejected']

/** Counts of a page's records by result. */
export interface PageCounts extends UpsertCounts {
  rejected: number
}

const NONE: PageCounts = { inserted: 0, updated: 0, unchanged: 0, rejected: 0 }

/**
 * Stores a page of a crawl and the next cursor in one transaction, so that only whole pages are stored, each once. A
 * problem with one parcel is recorded, and the others are stored. A page that is already stored counts as zero.
 */
export const storeCrawlPage = async (
  sql: Sql,
  { review }: StoreDeps,
  crawl: { id: string; attempt: number; source: string; vendor: string },
  page: CrawlPage,
): Promise<PageCounts | 'superseded'> => {
  const { checked, rejected } = checkPage(crawl.vendor, page)
  return sql.begin(async (tx): Promise<PageCounts | 'superseded'> => {
    const stands = await lockWork(tx, crawl)
    if (stands === null) return 'superseded'
    // The database's response was lost: this page is already stored.
    if (stands.isDone || (stands.cursor !== null && stands.cursor === page.cursor)) return NONE
    const { counts, refused } = await writePage(tx, { review }, crawl, checked)
    const allRejected = [...rejected, ...refused]
    await advanceCrawl(tx, crawl.id, {
      counts,
      rejected: allRejected,
      records: page.records,
      total: page.total,
      cursor: page.cursor,
    })
    return { ...counts, rejected: allRejected.length }
  }) as Promise<PageCounts | 'superseded'>
}

const checkPage = (vendor: string, page: CrawlPage): { checked: CheckedScrape[]; rejected: Rejected } => {
  const rejected = [...page.rejected]
  const checked = page.parcels.flatMap(({ sourceParcelId, ...scraped }) => {
    try {
      return checkScrape({ sourceParcelId, vendor, scraped })
    } catch (error) {
      if (!(error instanceof ScrapeError)) throw error
      rejected.push({ what: cutText(sourceParcelId, PARCEL_TEXT.source_parcel_id), reason: error.message })
      return []
    }
  })
  return { checked, rejected }
}

interface Written {
  counts: UpsertCounts
  refused: Rejected
}

/** Writes all parcels together. If the database refuses the data of one, splits the list in halves until that one is alone. */
const writePage = async (
  tx: Transaction,
  deps: StoreDeps,
  crawl: { id: string; source: string },
  scrapes: readonly CheckedScrape[],
): Promise<Written> => {
  try {
    return await tx.savepoint((inner) => writeSet(inner, deps, crawl, scrapes))
  } catch (error) {
    if (!isAboutData(error)) throw error
    const [only] = scrapes
    if (scrapes.length === 1 && only !== undefined) {
      const refused = [{ what: only.parcel.sourceParcelId, reason: `the database refused it: ${error.message}` }]
      return { counts: { inserted: 0, updated: 0, unchanged: 0 }, refused }
    }
    const middle = Math.ceil(scrapes.length / 2)
    const first = await writePage(tx, deps, crawl, scrapes.slice(0, middle))
    const second = await writePage(tx, deps, crawl, scrapes.slice(middle))
    return { counts: sum(first.counts, second.counts), refused: [...first.refused, ...second.refused] }
  }
}

const writeSet = async (
  tx: Transaction,
  deps: StoreDeps,
  { id: crawlId, source }: { id: string; source: string },
  scrapes: readonly CheckedScrape[],
): Promise<Written> => {
  const before = await readStoredParcels(
    tx,
    source,
    scrapes.map(({ parcel }) => parcel.sourceParcelId),
  )
  const refused: Rejected = []
  const whole = scrapes.flatMap((scrape) => {
    const { sourceParcelId } = scrape.parcel
    const earlier = before.get(sourceParcelId)
    if (earlier === undefined || earlier.crawlId !== crawlId) return scrape
    try {
      const combined = combineParts(earlier, scrape)
      return { ...combined, scrape: boundScrapeData(combined.scrape) }
    } catch (error) {
      if (error instanceof RowFault)
        refused.push({ what: sourceParcelId, reason: `its parts do not form a boundary: ${error.message}` })
      else if (error instanceof ScrapeError) refused.push({ what: sourceParcelId, reason: error.message })
      else throw error
      return []
    }
  })
  return { counts: await writeScrapes(tx, deps, source, whole, { before, crawlId }), refused }
}

const sum = (one: UpsertCounts, other: UpsertCounts): UpsertCounts => ({
  inserted: one.inserted + other.inserted,
  updated: one.updated + other.updated,
  unchanged: one.unchanged + other.unchanged,
})

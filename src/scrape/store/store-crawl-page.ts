import type { CrawlPage } from '../../../adapters/adapter'
import { ScrapeError } from '../../../adapters/scrape-error'
import { type ParcelFieldName, parcelFields } from '../../../core/parcels/fields'
import type { Sql, Transaction } from '../../../core/postgres/database'
import { advanceCrawl, STAGED } from '../../../drizzle/queries/crawls/advance-crawl'
import { type CrawlLoad, openCrawlLoad } from '../../../drizzle/queries/loads/begin-load'
import { endDirectCrawlLoad } from '../../../drizzle/queries/loads/end-load'
import { stageBatch } from '../../../drizzle/queries/loads/stage-batch'
import { lockWork } from '../../../drizzle/queries/work/advance-work'
import type { UpsertCounts } from '../../../drizzle/records'
import { boundReject } from '../fetch/bound-scrape'
import { writePage } from './write-page'
import { type CheckedScrape, checkScrape, type StoreDeps } from './write-scrapes'

type Rejected = CrawlPage['rejected']

/** Counts of a page's records by result. */
export interface PageCounts extends UpsertCounts {
  rejected: number
}

const NONE: PageCounts = { inserted: 0, updated: 0, unchanged: 0, rejected: 0 }

/**
 * Stores a page of a crawl and the next cursor in one transaction, so that only whole pages are stored, each once. If the source has
 * parcels, the page is only staged: it becomes visible after the whole crawl was compared with them. A problem with one parcel is
 * recorded, and the others are stored. A page that is already stored counts as zero.
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
    if (stands.isDone || (stands.cursor !== null && stands.cursor === (page.cursor ?? STAGED))) return NONE
    const load = await openCrawlLoad(tx, crawl)
    const { isDirect } = load
    const { counts, refused } = isDirect
      ? await writePage(tx, { review }, crawl, checked)
      : { counts: await stagePage(tx, crawl, load, { checked, rejected }), refused: [] }
    const allRejected = [...rejected, ...refused]
    await advanceCrawl(tx, crawl.id, {
      counts,
      rejected: allRejected,
      records: page.records,
      total: page.total,
      cursor: page.cursor ?? (isDirect ? null : STAGED),
    })
    if (isDirect && page.cursor === null) await endDirectCrawlLoad(tx, crawl.id)
    return { ...counts, rejected: allRejected.length }
  }) as Promise<PageCounts | 'superseded'>
}

const stagePage = async (
  tx: Transaction,
  { id, source }: { id: string; source: string },
  { pages, columns }: CrawlLoad,
  { checked, rejected }: { checked: readonly CheckedScrape[]; rejected: Rejected },
): Promise<UpsertCounts> => {
  const cleared = parcelFields.flatMap(({ name }) => (columns.includes(COLUMN_OF[name] ?? name) ? [name] : []))
  // A rejected record counts as listed, so its parcel is not retired.
  const ids = [...checked.map(({ parcel }) => parcel), ...rejected].flatMap(
    ({ sourceParcelId }) => sourceParcelId ?? [],
  )
  const counts = await stageBatch(tx, { id, source, kind: 'crawl', cleared }, { number: pages + 1, rows: checked, ids })
  if (counts === null) throw new Error(`the load of the crawl ${id} has ended before the crawl`)
  return counts
}

/** Names in `vendor_config.columns` that differ from the field's name. */
const COLUMN_OF: Partial<Record<ParcelFieldName, string>> = { owner_name: 'owner_names' }

const checkPage = (vendor: string, page: CrawlPage): { checked: CheckedScrape[]; rejected: Rejected } => {
  const rejected = [...page.rejected]
  const checked = page.parcels.flatMap(({ sourceParcelId, ...scraped }) => {
    try {
      return checkScrape({ sourceParcelId, vendor, scraped })
    } catch (error) {
      if (!(error instanceof ScrapeError)) throw error
      rejected.push(boundReject({ what: sourceParcelId, reason: error.message, sourceParcelId }))
      return []
    }
  })
  return { checked, rejected }
}

import type { CrawlPage } from '../../../adapters/adapter'
import { ScrapeError } from '../../../adapters/scrape-error'
import type { Transaction } from '../../../core/postgres/database'
import { readStoredParcels } from '../../../drizzle/queries/parcels/read-stored-parcels'
import type { UpsertCounts } from '../../../drizzle/records'
import { RowFault } from '../../ingest/rows/source-row'
import { isAboutData } from '../../ingest/write-batches'
import { boundScrapeData } from '../fetch/bound-scrape'
import { combineParts } from './combine-parts'
import { type CheckedScrape, type StoreDeps, writeScrapes } from './write-scrapes'

type Rejected = CrawlPage['rejected']

export interface WrittenPage {
  counts: UpsertCounts
  refused: Rejected
}

/**
 * Writes all parcels of a page of a crawl together. If the database refuses the data of one, halves the list until that parcel is
 * alone.
 */
export const writePage = async (
  tx: Transaction,
  deps: StoreDeps,
  crawl: { id: string; source: string },
  scrapes: readonly CheckedScrape[],
): Promise<WrittenPage> => {
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
): Promise<WrittenPage> => {
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
  return { counts: await writeScrapes(tx, deps, whole, { source, before, crawlId }), refused }
}

export const sum = (one: UpsertCounts, other: UpsertCounts): UpsertCounts => ({
  inserted: one.inserted + other.inserted,
  updated: one.updated + other.updated,
  unchanged: one.unchanged + other.unchanged,
})

import type { CrawlPage } from '../../../adapters/adapter'
import { ScrapeError } from '../../../adapters/scrape-error'
import type { Transaction } from '../../../core/postgres/database'
import { writeUnlessRefused } from '../../../core/postgres/refused-data'
import { readStoredParcels } from '../../../drizzle/queries/parcels/read-stored-parcels'
import { addCounts, NOTHING_WRITTEN, type UpsertCounts } from '../../../drizzle/records'
import { RowFault } from '../../ingest/rows/source-row'
import { boundScrapeData } from '../fetch/bound-scrape'
import { combineParts } from './combine-parts'
import { type CheckedScrape, type StoreDeps, writeScrapes } from './write-scrapes'

type Rejected = CrawlPage['rejected']

export interface WrittenPage {
  counts: UpsertCounts
  refused: Rejected
}

/** Writes all parcels of a page of a crawl together, without those whose data the database refuses. */
export const writePage = async (
  tx: Transaction,
  deps: StoreDeps,
  crawl: { id: string; source: string },
  scrapes: readonly CheckedScrape[],
): Promise<WrittenPage> => {
  let counts: UpsertCounts = NOTHING_WRITTEN
  const refused: Rejected = []
  await writeUnlessRefused(
    scrapes,
    async (part) => {
      const written = await tx.savepoint((inner) => writeSet(inner, deps, crawl, part))
      counts = addCounts(counts, written.counts)
      refused.push(...written.refused)
    },
    ({ parcel }, reason) => refused.push({ what: parcel.sourceParcelId, reason }),
  )
  return { counts, refused }
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
  return { counts: await writeScrapes(tx, deps, whole, { source, before, crawlId, replayId: null }), refused }
}

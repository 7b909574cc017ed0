import type { Transaction } from '../../../core/postgres/database'
import type { Origin } from '../../records'

/** These fields change with every scrape, even if it found nothing new. */
export const VOLATILE = ['fetched_at', 'sale_history_observed_at', 'http_etag', 'http_last_modified']

export interface ScrapeDataRow {
  /** The parcel's id. */
  id: string
  /** The adapter's name. */
  scrapedBy: string
  /** When the portal answered (ISO 8601). Null: just now. */
  scrapedAt: string | null
  scrapeData: Record<string, unknown>
  /** For the change log, as in `ParcelInput`. */
  causeId: string | null
  origin: Origin
}

/**
 * Stores the scrape data of parcels. `crawlId` is the crawl that found them, if any. `updated_at` changes only for parcels whose data
 * changed.
 */
export const updateScrapeData = async (
  tx: Transaction,
  rows: readonly ScrapeDataRow[],
  crawlId: string | null,
): Promise<void> => {
  await tx`
    update parcels p set scrape_data = r."scrapeData", scraped_at = greatest(p.scraped_at, coalesce(r."scrapedAt", now())), scraped_by = r."scrapedBy",
      cause_id = r."causeId", origin = r.origin,
      crawl_id = coalesce(${crawlId}, p.crawl_id),
      scrape_data_as_of = r."scrapeData" ->> 'data_as_of', scrape_data_as_of_source = r."scrapeData" ->> 'data_as_of_source',
      updated_at = case when p.scrape_data - ${VOLATILE}::text[] = r."scrapeData" - ${VOLATILE}::text[] then p.updated_at else now() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (
      id uuid, "scrapedBy" text, "scrapedAt" timestamptz, "scrapeData" jsonb, "causeId" uuid, origin jsonb
    )
    where p.id = r.id`
}

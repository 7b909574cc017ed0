import type { Transaction } from '../../../core/postgres/database'

/** In a scrape that found nothing new these differ all the same. */
const VOLATILE = ['fetched_at', 'sale_history_observed_at', 'http_etag', 'http_last_modified']

export interface ScrapeDataRow {
  /** Of the parcel. */
  id: string
  /** The adapter's name. */
  scrapedBy: string
  scrapeData: Record<string, unknown>
  scrapeOrigins: object
}

/**
 * Sets what the scrapes of some parcels found; `crawlId` is the crawl that brought them, if one did. `updated_at` moves only where
 * that is something else than before.
 */
export const updateScrapeData = async (
  tx: Transaction,
  rows: readonly ScrapeDataRow[],
  crawlId: string | null,
): Promise<void> => {
  await tx`
    update parcels p set scrape_data = r."scrapeData", scraped_at = now(), scraped_by = r."scrapedBy",
      scrape_origins = r."scrapeOrigins",
      crawl_id = coalesce(${crawlId}, p.crawl_id),
      scrape_data_as_of = r."scrapeData" ->> 'data_as_of', scrape_data_as_of_source = r."scrapeData" ->> 'data_as_of_source',
      updated_at = case when p.scrape_data - ${VOLATILE}::text[] = r."scrapeData" - ${VOLATILE}::text[] then p.updated_at else now() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (id uuid, "scrapedBy" text, "scrapeData" jsonb, "scrapeOrigins" jsonb)
    where p.id = r.id`
}

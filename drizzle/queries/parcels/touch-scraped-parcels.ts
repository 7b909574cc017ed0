import type { Transaction } from '../../../core/postgres/database'

/** The portal answered that nothing changed: the parcels were scraped now (`scraped_at`, `fetched_at`), and nothing else moves. */
export const touchScrapedParcels = async (tx: Transaction, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await tx`
    update parcels set scraped_at = now(),
      scrape_data = scrape_data || jsonb_build_object('fetched_at', iso_utc(now()::timestamptz(3)))
    where id = any(${[...ids]}::uuid[])`
}

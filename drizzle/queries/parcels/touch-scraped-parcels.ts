import type { Transaction } from '../../../core/postgres/database'

/** For parcels that the portal reports as unchanged: sets `scraped_at` and `fetched_at` to now and changes nothing else. */
export const touchScrapedParcels = async (tx: Transaction, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await tx`
    update parcels set scraped_at = now(),
      scrape_data = scrape_data || jsonb_build_object('fetched_at', iso_utc(now()::timestamptz(3)))
    where id = any(${[...ids]}::uuid[])`
}

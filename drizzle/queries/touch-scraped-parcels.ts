import type { Transaction } from '../database'

/** The portal said that nothing changed: these parcels count as scraped just now, and nothing else about them moves. */
export const touchScrapedParcels = async (tx: Transaction, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await tx`update parcels set scraped_at = now() where id = any(${[...ids]}::uuid[])`
}

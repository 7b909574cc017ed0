import type { Scrape } from '../../adapters/scrape'
import type { Transaction } from '../../core/postgres/database'
import { storeFindings } from '../../drizzle/queries/findings/store-findings'
import {
  findReviewedSource,
  type ReviewedSource,
  readStoredParcels,
  type StoredParcel,
} from '../../drizzle/queries/parcels/read-stored-parcels'
import { review } from '../scrape/review/review'
import { parcelVanished } from '../scrape/review/rules/parcel-vanished'
import { boundFindings } from '../scrape/store/bound-findings'
import { toReviewInput } from '../scrape/store/write-scrapes'

/** Reviews parcels again after an undo restored their earlier values, as if the changes of `causeIds` had never been made. */
export const reviewRestored = async (
  tx: Transaction,
  { source, ids }: { source: string; ids: readonly string[] },
  causeIds: readonly string[],
): Promise<void> => {
  const parcels = await readStoredParcels(tx, source, ids)
  const reviewed = await findReviewedSource(tx, source)
  await storeFindings(
    tx,
    [...parcels.values()].map((parcel) => ({ parcelId: parcel.id, findings: reviewAgain(parcel, reviewed, causeIds) })),
  )
}

const reviewAgain = (parcel: StoredParcel, source: ReviewedSource, causeIds: readonly string[]) => {
  // A failed scrape detects that a parcel vanished; the rules cannot.
  const vanished = parcel.findings
    .filter(({ rule }) => rule === parcelVanished.rule)
    .map((finding) => ({ ...parcelVanished, evidence: finding.evidence }))
  const scrape = parcel.scrapeData as Scrape
  if (Object.keys(scrape).length === 0) return vanished
  const changes = parcel.changes.filter(({ causeId }) => causeId === null || !causeIds.includes(causeId))
  return [...boundFindings(review(toReviewInput(parcel, { ...parcel, changes }, scrape, source))), ...vanished]
}

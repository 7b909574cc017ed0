import type { Db } from '../../../core/postgres/database'
import { ServiceError } from '../../../core/service-error'
import { storeProof } from '../../../drizzle/queries/sources/source-proofs'
import { version } from '../../../package.json' with { type: 'json' }
import { compressPageSet, encodePageSet } from '../pages/page-set'
import { comparable, compareWithPage } from './compare-with-page'
import type { Trial } from './try-parcel'

/**
 * Stores the page of a trial as the golden page of its source, after a person has compared the result with the portal. `reading` is the
 * hash of the result that the person saw, if that was an earlier trial.
 *
 * @throws ServiceError `conflict` if nothing was read, or the result differs from what the person saw; `too_large` if the page cannot
 * be stored
 */
export const proveSource = async (
  db: Db,
  trial: Trial,
  { by, reading = null }: { by: string; reading?: string | null },
): Promise<void> => {
  const { vendor, target, answers, answeredAt, outcome } = trial
  if ('failure' in outcome) {
    throw new ServiceError('conflict', `the parcel was not read: ${outcome.failure.code}: ${outcome.failure.message}`)
  }
  if (reading !== null && compareWithPage(trial).reading !== reading) {
    throw new ServiceError('conflict', 'the portal now shows other values than in the dry run: make another dry run')
  }
  const { source, sourceParcelId } = target
  const encoded = encodePageSet({ source, sourceParcelId, answers })
  if (encoded === null) throw new ServiceError('too_large', 'the answers of the portal are too large to be kept')
  const { validators: _, listsLabels: __, ...kept } = target
  await storeProof(db, {
    source,
    adapter: vendor,
    version,
    by,
    target: kept,
    answeredAt,
    pageHash: encoded.hash,
    page: await compressPageSet(encoded.bytes),
    read: comparable(outcome.read),
  })
}

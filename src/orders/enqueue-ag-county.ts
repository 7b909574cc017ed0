import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { withSpan } from '../../core/with-span'
import { type AgriculturalCounts, enqueueAgricultural } from '../../drizzle/queries/jobs/order/enqueue-agricultural'
import type { Requester } from '../../drizzle/queries/jobs/order/watchers'
import { refuseUnscrapable } from './enqueue-scrapes'

/** The most parcels that one request queues. */
export const MAX_AG_PARCELS = 100_000

/**
 * Queues the agricultural parcels of a source. Parcels scraped within its cadence are skipped unless `skipExisting` is false. A repeated
 * request adds nothing.
 *
 * @throws ServiceError `not_found` for an unknown source; `conflict` for one without a portal, or a retired one
 */
export const enqueueAgCounty = async (
  db: Db,
  {
    source,
    limit = MAX_AG_PARCELS,
    skipExisting = true,
  }: { source: string; limit?: number | undefined; skipExisting?: boolean | undefined },
  requester: Requester | null,
): Promise<AgriculturalCounts> => {
  await refuseUnscrapable(db, [source])
  const counts = await withSpan('enqueue county', {}, () =>
    enqueueAgricultural(db, { source, limit, skipFresh: skipExisting }, requester),
  )
  if (counts === null) throw new ServiceError('not_found', `unknown source: ${source}`)
  return counts
}

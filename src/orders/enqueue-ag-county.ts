import { withSpan } from '../../core/observe/with-span'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import type { Db } from '../../core/postgres/database'
import { type EnqueuedCounts, enqueueFiltered } from '../../drizzle/queries/jobs/order/enqueue-filtered'
import type { Requester } from '../../drizzle/queries/jobs/order/watchers'
import { refuseUnscrapable } from './enqueue-scrapes'
import { MAX_PARCELS } from './order-refresh'

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
    limit = MAX_PARCELS,
    skipExisting = true,
  }: { source: string; limit?: number | undefined; skipExisting?: boolean | undefined },
  requester: Requester | null,
): Promise<EnqueuedCounts> => {
  await refuseUnscrapable(db, [source])
  const filter = { ...LISTED_PARCELS, source, isAgricultural: true }
  return withSpan('enqueue county', {}, () =>
    enqueueFiltered(db, { filter, limit, skipFresh: skipExisting }, requester),
  )
}

import type { Db } from '../../drizzle/database'
import { type AgriculturalCounts, enqueueAgricultural } from '../../drizzle/queries/enqueue-agricultural'
import type { Requester } from '../../drizzle/queries/watchers'
import { ServiceError } from '../service-error'
import { withSpan } from '../with-span'

/** As many as one call queues. */
export const MOST_AG_PARCELS = 100_000

/**
 * Queues the agricultural parcels of a source, those scraped within its cadence left out unless `skipExisting` is false. A
 * call that is sent again finds them queued and adds nothing.
 *
 * @throws ServiceError `not_found` for an unknown source
 */
export const enqueueAgCounty = async (
  db: Db,
  {
    source,
    limit = MOST_AG_PARCELS,
    skipExisting = true,
  }: { source: string; limit?: number | undefined; skipExisting?: boolean | undefined },
  requester: Requester | null,
): Promise<AgriculturalCounts> => {
  const counts = await withSpan('enqueue county', {}, () =>
    enqueueAgricultural(db, { source, limit, skipFresh: skipExisting }, requester),
  )
  if (counts === null) throw new ServiceError('not_found', `unknown source: ${source}`)
  return counts
}

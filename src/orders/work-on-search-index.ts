import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { requestSearchWork, type SearchWork } from '../../drizzle/queries/search/search-index-work'
import type { Queue } from '../../drizzle/queries/search/search-outbox'

/**
 * Requests a check or a rebuild of the search index from the leaders of the sync role, for these instances. Events report its progress.
 *
 * @throws ServiceError `build_running` if one is already requested or running
 */
export const workOnSearchIndex = async (
  db: Db,
  kind: SearchWork,
  requestedBy: string,
  queues: readonly Queue[],
): Promise<void> => {
  if (await requestSearchWork(db, kind, requestedBy, queues)) return
  throw new ServiceError(
    'build_running',
    `a ${kind} of the search index is already requested or running: wait until it ends`,
  )
}

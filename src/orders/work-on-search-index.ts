import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { requestSearchWork, type SearchWork } from '../../drizzle/queries/search/search-index-work'

/**
 * Has the leader of the sync role compare the search index with the database, or build it anew. What it does is told by events.
 *
 * @throws ServiceError `build_running` when it does so, or is asked to, already
 */
export const workOnSearchIndex = async (db: Db, kind: SearchWork, requestedBy: string): Promise<void> => {
  if (await requestSearchWork(db, kind, requestedBy)) return
  throw new ServiceError('build_running', `a ${kind} of the search index runs, or is asked for: wait for it to end`)
}

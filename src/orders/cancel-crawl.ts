import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { isUuid } from '../../core/text/uuid'
import { cancelCrawl as cancel } from '../../drizzle/queries/crawls/crawls'

/**
 * Cancels a queued or running crawl and returns it as JSON text. Staged pages are discarded, and what is visible stays.
 * `cancelledBy` is the first 8 characters of a key or an account's short name.
 *
 * @throws ServiceError `not_found` when the source has no such crawl or it has ended
 */
export const cancelCrawl = async (db: Db, source: string, id: string, cancelledBy: string): Promise<string> => {
  const crawl = isUuid(id) ? await cancel(db, { source, id }, `cancelled by ${cancelledBy}`) : null
  if (crawl === null) throw new ServiceError('not_found', 'not found')
  return crawl
}

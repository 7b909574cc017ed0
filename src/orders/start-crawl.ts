import { CRAWLED_VENDORS } from '../../adapters/registry'
import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { CRAWL } from '../../drizzle/queries/crawls/crawl-work'
import { startCrawl as start } from '../../drizzle/queries/crawls/crawls'
import { sweepCrawls } from '../../drizzle/queries/crawls/sweep-crawls'
import { findPortal } from '../../drizzle/queries/sources/sources'
import { sweepLostWork } from '../../drizzle/queries/work/sweep-lost-work'
import { describeRetired } from '../scrape/configure-source'
import { MAX_FAILURES } from '../scrape/fetch/crawl-source'

/**
 * Queues a crawl of a source and returns its id. If a crawl of the source is already queued or running, returns that one. `requestedBy` is
 * the first 8 characters of a key, or a person.
 *
 * @throws ServiceError `not_found`; `conflict` if the vendor does not support crawls
 */
export const startCrawl = async (db: Db, source: string, requestedBy: string): Promise<string> => {
  const portal = await findPortal(db, source)
  if (portal === null) throw new ServiceError('not_found', `unknown source: ${source}`)
  const { vendor, isRetired } = portal
  if (isRetired) throw new ServiceError('conflict', describeRetired(source))
  if (!CRAWLED_VENDORS.includes(vendor)) {
    throw new ServiceError(
      'conflict',
      `${source} cannot be crawled, because its vendor is ${vendor}; these vendors support crawls: ${CRAWLED_VENDORS.join(', ')}`,
    )
  }
  // Ends crawls that were requested with an earlier configuration, or that lost their worker too often.
  await sweepLostWork(db, { kind: CRAWL, mostFailures: MAX_FAILURES })
  await sweepCrawls(db)
  const id = await start(db, source, requestedBy)
  if (id === null) throw new ServiceError('not_found', `unknown source: ${source}`)
  return id
}

import { CRAWLED_VENDORS } from '../../adapters/registry'
import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { CRAWL } from '../../drizzle/queries/crawls/crawl-work'
import { startCrawl as start } from '../../drizzle/queries/crawls/crawls'
import { sweepCrawls } from '../../drizzle/queries/crawls/sweep-crawls'
import { findSourceVendor } from '../../drizzle/queries/sources/sources'
import { sweepLostWork } from '../../drizzle/queries/work/sweep-lost-work'
import { MOST_FAILURES } from '../scrape/fetch/crawl-source'

/**
 * Has a source scraped in full by whichever worker takes it, naming who asked (the first 8 characters of a key, or a person). The
 * id of the crawl, which may have been queued, or have run, already.
 *
 * @throws ServiceError `not_found`; `conflict` when the vendor's portals give no whole layers
 */
export const startCrawl = async (db: Db, source: string, requestedBy: string): Promise<string> => {
  const vendor = await findSourceVendor(db, source)
  if (vendor === null) throw new ServiceError('not_found', `no source ${source}`)
  if (!CRAWLED_VENDORS.includes(vendor)) {
    throw new ServiceError(
      'conflict',
      `${source} is of ${vendor}, which cannot be crawled: ${CRAWLED_VENDORS.join(', ')} can`,
    )
  }
  // A crawl of an earlier configuration does not go on, nor does one whose workers were lost too often.
  await sweepLostWork(db, { kind: CRAWL, mostFailures: MOST_FAILURES })
  await sweepCrawls(db)
  const id = await start(db, source, requestedBy)
  if (id === null) throw new ServiceError('not_found', `no source ${source}`)
  return id
}

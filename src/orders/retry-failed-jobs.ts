import type { Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import type { FailureClassName } from '../../core/sources/failure-classes'
import { listFailedCrawls } from '../../drizzle/queries/crawls/list-failed-crawls'
import { type RetryCounts, retryFailedJobs as retry } from '../../drizzle/queries/jobs/order/retry-failed-jobs'
import type { Requester } from '../../drizzle/queries/jobs/order/watchers'
import { startCrawl } from './start-crawl'

/** The most parcels that one request queues. */
export const MAX_RETRIED = 10_000

export interface FailedJobsToRetry {
  source?: string | undefined
  vendor?: string | undefined
  failureClass: FailureClassName
  limit?: number | undefined
}

/**
 * Requeues parcels whose last job failed with this class, and restarts crawls that last failed with it. Each counts. A repeated
 * request adds nothing.
 *
 * @throws ServiceError `bad_input` without a source or vendor, or with both; `not_found` for an unknown source, or a vendor without sources
 */
export const retryFailedJobs = async (
  tx: Transaction,
  { source, vendor, failureClass, limit = MAX_RETRIED }: FailedJobsToRetry,
  requester: Requester,
): Promise<RetryCounts> => {
  const scope = source !== undefined ? { source } : vendor !== undefined ? { vendor } : null
  if (scope === null || (source !== undefined && vendor !== undefined)) {
    throw new ServiceError('bad_input', 'give either source or vendor')
  }
  const counts = await retry(tx, scope, { failureClass, limit }, requester)
  if (counts === null) throw new ServiceError('not_found', `unknown ${Object.entries(scope)[0]?.join(': ')}`)
  const crawls = await listFailedCrawls(tx, scope, failureClass)
  for (const { source, isLive } of crawls) if (!isLive) await startCrawl(tx, source, requester.name)
  const live = crawls.filter(({ isLive }) => isLive).length
  return {
    ...counts,
    failed: counts.failed + crawls.length,
    queued: counts.queued + crawls.length - live,
    alreadyQueued: counts.alreadyQueued + live,
  }
}

import type { FailureClassName } from '../../core/failure-classes'
import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { type RetryCounts, retryFailedJobs as retry } from '../../drizzle/queries/jobs/order/retry-failed-jobs'
import type { Requester } from '../../drizzle/queries/jobs/order/watchers'

/** The most parcels that one request queues. */
export const MAX_RETRIED = 10_000

export interface FailedJobsToRetry {
  source?: string | undefined
  vendor?: string | undefined
  failureClass: FailureClassName
  limit?: number | undefined
}

/**
 * Queues the parcels again whose last job failed with this class. A repeated request adds nothing.
 *
 * @throws ServiceError `bad_input` without a source or vendor, or with both; `not_found` for an unknown source, or a vendor without sources
 */
export const retryFailedJobs = async (
  db: Db,
  { source, vendor, failureClass, limit = MAX_RETRIED }: FailedJobsToRetry,
  requester: Requester,
): Promise<RetryCounts> => {
  const scope = source !== undefined ? { source } : vendor !== undefined ? { vendor } : null
  if (scope === null || (source !== undefined && vendor !== undefined)) {
    throw new ServiceError('bad_input', 'give either source or vendor')
  }
  const counts = await retry(db, scope, { failureClass, limit }, requester)
  if (counts === null) throw new ServiceError('not_found', `unknown ${Object.entries(scope)[0]?.join(': ')}`)
  return counts
}

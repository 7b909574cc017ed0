import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { isUuid } from '../../core/text/uuid'
import { retryJob as retry } from '../../drizzle/queries/jobs/order/retry-job'
import type { Requester } from '../../drizzle/queries/jobs/order/watchers'
import { findJob } from '../../drizzle/queries/jobs/scrape-jobs'
import { refuseUnscrapable } from './enqueue-scrapes'

/**
 * Queues the parcel of a finished job again. Returns the queued job as JSON text.
 *
 * @throws ServiceError `not_found`; `not_ended` if the job is still queued or running; `conflict` if its source is retired
 */
export const retryJob = async (db: Db, id: string, requester: Requester): Promise<string> => {
  const queued = isUuid(id) ? await retry(db, id, requester) : null
  const job = queued === null ? null : await findJob(db, queued)
  if (job !== null) return job
  const found = isUuid(id) ? await findJob(db, id) : null
  if (found !== null) {
    await refuseUnscrapable(db, [(JSON.parse(found) as { source: string }).source])
    throw new ServiceError('not_ended', 'this job has not ended yet')
  }
  throw new ServiceError('not_found', 'not found')
}

import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { isUuid } from '../../core/text/uuid'
import { cancelJob as cancel } from '../../drizzle/queries/jobs/scrape-jobs'

/**
 * Cancels a queued or running job. `cancelledBy` is the first 8 characters of a key or an account's short name. Returns the job's row as
 * JSON text.
 *
 * @throws ServiceError `not_found` for an unknown or finished job
 */
export const cancelJob = async (db: Db, id: string, cancelledBy: string): Promise<string> => {
  const job = isUuid(id) ? await cancel(db, id, `cancelled by ${cancelledBy}`) : null
  if (job === null) throw new ServiceError('not_found', 'not found')
  return job
}

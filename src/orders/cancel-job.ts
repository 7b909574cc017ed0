import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { cancelJob as cancel } from '../../drizzle/queries/jobs/scrape-jobs'
import { isUuid } from '../parcels/is-uuid'

/** A job id that is none is an id that no job has. */
export const isJobId = isUuid

/**
 * Cancels a queued or running job, naming who did (the first 8 characters of a key, or the short name of a person's account). Its row as JSON text.
 *
 * @throws ServiceError `not_found` when there is no such job or it has ended
 */
export const cancelJob = async (db: Db, id: string, cancelledBy: string): Promise<string> => {
  const job = isJobId(id) ? await cancel(db, id, `cancelled by ${cancelledBy}`) : null
  if (job === null) throw new ServiceError('not_found', 'not found')
  return job
}

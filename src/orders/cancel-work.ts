import type { Db } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { isUuid } from '../../core/text/uuid'
import { cancelWork as cancel } from '../../drizzle/queries/work/cancel-work'
import { findWork } from '../../drizzle/queries/work/list-work'

/**
 * Cancels queued or running work of any kind and returns it as JSON text. Stored results stay. `cancelledBy` is the first 8 characters of a
 * key or an account's short name.
 *
 * @throws ServiceError `not_found` when there is no such work or it has ended
 */
export const cancelWork = async (db: Db, id: string, cancelledBy: string): Promise<string> => {
  const isCancelled = isUuid(id) && (await cancel(db, id, `cancelled by ${cancelledBy}`))
  const work = isCancelled ? await findWork(db, id) : null
  if (work === null) throw new ServiceError('not_found', 'not found')
  return work
}

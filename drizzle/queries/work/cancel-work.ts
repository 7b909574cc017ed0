import type { Db } from '../../../core/postgres/database'

/** Ends work that is queued or running. False: there is none with this id, or it has ended. */
export const cancelWork = async (db: Db, id: string, message: string): Promise<boolean> => {
  const { count } = await db`
    update work set status = 'error', error_code = 'cancelled', error_message = ${message}, lease_expires_at = null,
      finished_at = greatest(clock_timestamp(), started_at)
    where id = ${id} and status in ('queued', 'running')`
  return count === 1
}

import type { Db, Fragment } from '../../../core/postgres/database'

/** The assignments, in an UPDATE of `work`, that cancel queued or running work. */
export const cancelledWorkFields = (db: Db, message: string | Fragment) => db`
  status = 'error', error_code = 'cancelled', failure_class = null, error_message = ${message}, lease_expires_at = null,
  finished_at = greatest(clock_timestamp(), started_at)`

/** Cancels queued or running work. Returns false if there is no work with this id, or if it has ended. */
export const cancelWork = async (db: Db, id: string, message: string): Promise<boolean> => {
  const { count } = await db`
    update work set ${cancelledWorkFields(db, message)} where id = ${id} and status in ('queued', 'running')`
  return count === 1
}

/** Cancels queued work of a kind and source. */
export const cancelQueuedWork = async (
  db: Db,
  { kind, source }: { kind: string; source: string },
  message: string,
): Promise<void> => {
  await db`
    update work set ${cancelledWorkFields(db, message)}
    where kind = ${kind} and source = ${source} and status = 'queued'`
}

import type { Db } from '../../../core/postgres/database'
import type { WorkAttempt } from './claim-work'

/** Returns false if the work was cancelled or taken over, or has ended. */
export const isCurrentAttempt = async (db: Db, { id, attempt }: WorkAttempt): Promise<boolean> => {
  const rows = await db`select from work where id = ${id} and attempts = ${attempt} and status = 'running'`
  return rows.length > 0
}

import type { Db } from '../../../core/postgres/database'
import type { WorkAttempt } from './claim-work'

/** Extends the lease of a running attempt. Returns false if another process has the work, or if the work has ended. */
export const extendWorkLease = async (db: Db, { id, attempt }: WorkAttempt, leaseMs: number): Promise<boolean> => {
  const { count } = await db`
    update work set lease_expires_at = now() + ${leaseMs} * interval '1 ms'
    where id = ${id} and attempts = ${attempt} and status = 'running'`
  return count === 1
}

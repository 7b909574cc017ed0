import type { Db } from '../../../core/postgres/database'

/** Ends work of a kind after `mostFailures` lost workers in a row without progress. */
export const sweepLostWork = async (
  db: Db,
  { kind, mostFailures }: { kind: string; mostFailures: number },
): Promise<void> => {
  await db`
    update work set status = 'error', lease_expires_at = null, finished_at = greatest(clock_timestamp(), started_at),
      error_code = 'worker_lost', error_message = 'its worker was lost ' || failures + 1 || ' times without progress'
    where kind = ${kind} and status = 'running' and lease_expires_at < now() and failures + 1 >= ${mostFailures}`
}

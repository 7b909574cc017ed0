import type { Db } from '../../../core/postgres/database'

/**
 * Ends work of a kind, or of a kind and `subject`, after `mostFailures` lost workers in a row without progress. `unrequested`: only work
 * that nobody requested.
 */
export const sweepLostWork = async (
  db: Db,
  {
    kind,
    subject = null,
    mostFailures,
    unrequested = false,
  }: { kind: string; subject?: string | null; mostFailures: number; unrequested?: boolean },
): Promise<void> => {
  await db`
    update work set status = 'error', lease_expires_at = null, finished_at = greatest(clock_timestamp(), started_at),
      error_code = 'worker_lost', failure_class = null,
      error_message = case failures when 0 then 'its worker was lost' else 'its worker was lost ' || failures + 1 || ' times without progress' end
    where kind = ${kind} and (${subject}::text is null or subject = ${subject}) and status = 'running' and lease_expires_at < now() and failures + 1 >= ${mostFailures}
      ${unrequested ? db`and requested_by is null` : db``}`
}

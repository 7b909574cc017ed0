import type { Transaction } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { findJobTotals, type JobScope } from '../../drizzle/queries/jobs/job-totals'
import { cancelJobs as cancel } from '../../drizzle/queries/jobs/order/cancel-jobs'

/** The most jobs that one request cancels. */
export const MAX_CANCELLED = 10_000

export interface CancelOrder extends JobScope {
  status?: 'queued' | 'running' | undefined
  limit?: number | undefined
}

/**
 * Cancels queued and running jobs, or those of one status, of a source or of a vendor. `left` are the jobs of the scope and status that are
 * still queued or running.
 *
 * @throws ServiceError `bad_input` without a source or vendor, or with both
 */
export const cancelJobs = async (
  tx: Transaction,
  { source, vendor, status, limit = MAX_CANCELLED }: CancelOrder,
  cancelledBy: string,
): Promise<{ cancelled: number; left: number }> => {
  if ((source === undefined) === (vendor === undefined)) {
    throw new ServiceError('bad_input', 'give either source or vendor')
  }
  const scope = { source, vendor }
  const cancelled = await cancel(tx, { ...scope, status: status ?? null, limit }, `cancelled by ${cancelledBy}`)
  const { queued, running } = await findJobTotals(tx, scope, new Date().toISOString())
  return { cancelled, left: (status === 'running' ? 0 : queued) + (status === 'queued' ? 0 : running) }
}

import { SCRAPE_ERROR_CODES, ScrapeError } from '../../../../adapters/scrape-error'
import type { Sql } from '../../../../core/postgres/database'
import { ServiceError } from '../../../../core/service-error'
import { findJobState, type JobState } from '../../../../drizzle/queries/jobs/order/run-job-now'
import type { JobStatus } from '../../../../drizzle/schema/values'
import type { Limit } from './request'

/** How often a call that shares another's scrape, or waits for its turn, checks the state. */
export const POLL_MS = 200

/**
 * Waits until a job that another call or a worker runs is done.
 *
 * @throws ServiceError, ScrapeError as the job failed; `timeout` after the time limit
 */
export const followJob = async (
  sql: Sql,
  id: string,
  { deadline, tookTooLong }: Limit,
  stillRunning: readonly JobStatus[] = ['running'],
): Promise<void> => {
  while (performance.now() < deadline) {
    const state = await findJobState(sql, id)
    if (state === null || state.status === 'done') return
    if (!stillRunning.includes(state.status)) throw toFailure(state)
    await Bun.sleep(POLL_MS)
  }
  throw tookTooLong
}

/** The error of a shared job, in the form that its own caller received. */
const toFailure = ({ errorCode, errorMessage }: JobState): ServiceError => {
  const code = SCRAPE_ERROR_CODES.find((known) => known === errorCode)
  if (code !== undefined) return new ScrapeError(code, errorMessage ?? code)
  return errorCode === 'cancelled' ? cancelled() : new ScrapeError('network', errorMessage ?? 'the scrape failed')
}

export const cancelled = () => new ServiceError('cancelled', 'the scrape was cancelled')

import { HostSilent, PutOff } from '../../../adapters/http/host-turns'
import { RETRYABLE, ScrapeError } from '../../../adapters/scrape-error'
import { hasCode } from '../../../core/error-code'
import { describeTransient, isTransient } from '../../../core/postgres/transient-errors'
import { ServiceError } from '../../../core/service-error'
import type { ClaimedJob } from '../../../drizzle/queries/jobs/run/claim-jobs'
import { describeFailure } from '../../scrape/fetch/describe-failure'
import { MAX_ATTEMPTS } from '../../scrape/lease'
import { storeFailure } from '../../scrape/store/store-failure'
import type { retryDelayMs } from '../retry-delay'
import type { WorkerContext } from './context'

type RetryDelay = typeof retryDelayMs

/** Decides how a failed job is recorded and when it is retried. A null `retryInMs` means no retry. */
const judgeFailure = (job: ClaimedJob, error: unknown, retryDelay: RetryDelay) => {
  const described = describeFailure(error)
  const findRetry = (): number | null => {
    const { countedAttempts } = job
    if (error instanceof HostSilent && countedAttempts > 1) return null
    if (error instanceof PutOff) return error.retryAfterMs
    const isWorthIt = error instanceof ScrapeError && RETRYABLE[error.code] && countedAttempts < MAX_ATTEMPTS
    // A busy database says nothing about the portal, so it does not end the job.
    return isWorthIt || isTransient(error) ? retryDelay(countedAttempts, described.retryAfterMs) : null
  }
  const isPutOff = error instanceof PutOff || isTransient(error)
  return { id: job.id, attempt: job.attempt, ...described, retryInMs: findRetry(), isPutOff }
}

/** Records and logs that a job failed. */
export const createFailJob =
  ({ sql, log, persist }: WorkerContext, retryDelay: RetryDelay) =>
  async (job: ClaimedJob, error: unknown): Promise<void> => {
    const failed = judgeFailure(job, error, retryDelay)
    const { id, attempt, vendor, source, sourceParcelId } = job
    const { code, message, retryInMs, isPutOff } = failed
    const about = { job: id, vendor, source, sourceParcelId, attempt }
    if (isTransient(error))
      log.warn({ ...about, err: error, retryInMs }, `${describeTransient(error)}: the job backs off`)
    else if (isPutOff) log.debug({ ...about, retryInMs }, message)
    else if (error instanceof ServiceError) log.info({ ...about, code, retryInMs }, message)
    else log.error({ ...about, err: error }, 'a job failed because of a bug in the service')
    const store = () => storeFailure(sql, { source, sourceParcelId }, failed)
    await persist(store).catch((writeError) => {
      // unique_violation: another job for this parcel was queued at the same moment. A second attempt sees it.
      if (!hasCode(writeError, '23505')) throw writeError
      return persist(store)
    })
  }

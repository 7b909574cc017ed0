import { ScrapeError } from '../../../adapters/scrape-error'
import { ServiceError } from '../../../core/service-error'
import type { FailedAttempt } from '../../../drizzle/queries/jobs/fail-job'

/** What is kept of a try that failed. Of a bug that is nothing but that it was one: the rest is for the log. */
export const describeFailure = (error: unknown): Pick<FailedAttempt, 'code' | 'message' | 'retryAfterMs'> => {
  const retryAfterMs = error instanceof ScrapeError ? error.retryAfterMs : null
  return error instanceof ServiceError
    ? { code: error.code, message: error.message, retryAfterMs }
    : { code: 'internal', message: 'internal error', retryAfterMs }
}

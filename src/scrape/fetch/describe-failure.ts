import { ScrapeError } from '../../../adapters/scrape-error'
import { toMessage } from '../../../core/bounds'
import { DISK_IS_FULL, isDiskFull } from '../../../core/files/disk-full'
import { describeTransient, isTransient } from '../../../core/postgres/transient-errors'
import { ServiceError } from '../../../core/service-error'
import type { FailedAttempt } from '../../../drizzle/queries/jobs/run/fail-job'

/** The stored description of a failed attempt. For a bug, it has no details; the log has them. */
export const describeFailure = (
  error: unknown,
): Pick<FailedAttempt, 'code' | 'failureClass' | 'message' | 'retryAfterMs'> => {
  const retryAfterMs = error instanceof ScrapeError ? error.retryAfterMs : null
  const failureClass = error instanceof ScrapeError ? error.failureClass : null
  if (isTransient(error)) {
    return { code: 'server_unavailable', failureClass, message: describeTransient(error), retryAfterMs }
  }
  if (isDiskFull(error)) return { code: 'disk_full', failureClass, message: DISK_IS_FULL, retryAfterMs }
  return error instanceof ServiceError
    ? { code: error.code, failureClass, message: toMessage(error.message), retryAfterMs }
    : { code: 'internal', failureClass, message: 'internal error', retryAfterMs }
}

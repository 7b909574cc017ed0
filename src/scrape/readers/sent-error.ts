import { ScrapeError } from '../../../adapters/scrape-error'
import type { SentError } from './messages'

/** `withStack`: with the stack of a bug. */
export const toSent = (error: unknown, { withStack = false } = {}): SentError => {
  if (error instanceof ScrapeError) {
    const { code, message, retryAfterMs, failureClass } = error
    return { code, message, retryAfterMs, failureClass, stack: undefined }
  }
  const isError = error instanceof Error
  return {
    code: null,
    message: isError ? error.message : String(error),
    retryAfterMs: null,
    failureClass: null,
    stack: withStack && isError ? error.stack : undefined,
  }
}

export const toError = ({ code, message, retryAfterMs, failureClass, stack }: SentError): Error => {
  if (code !== null) return new ScrapeError(code, message, { retryAfterMs, failureClass })
  const error = new Error(message)
  if (stack !== undefined) error.stack = stack
  return error
}

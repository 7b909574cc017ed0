type Handler = (request: Request, ...rest: unknown[]) => unknown

/** Most outages (a database failover, a server restart) are over by then. */
export const RETRY_AFTER_S = 5

const withRetryAfter = (answer: unknown): unknown => {
  if (answer instanceof Response && answer.status === 503 && !answer.headers.has('retry-after')) {
    answer.headers.set('retry-after', String(RETRY_AFTER_S))
  }
  return answer
}

/** Adds Retry-After (RFC 9110, 10.2.3) to every 503 response. A route can set its own value. */
export const retryAfter =
  () =>
  (next: Handler): Handler =>
  (request, ...rest) => {
    const answer = next(request, ...rest)
    return answer instanceof Promise ? answer.then(withRetryAfter) : withRetryAfter(answer)
  }

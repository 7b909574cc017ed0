type Handler = (request: Request, ...rest: unknown[]) => unknown

/** Most of what is away (a database that fails over, a server that starts again) is back by then. */
export const RETRY_AFTER_S = 5

const withRetryAfter = (answer: unknown): unknown => {
  if (answer instanceof Response && answer.status === 503 && !answer.headers.has('retry-after')) {
    answer.headers.set('retry-after', String(RETRY_AFTER_S))
  }
  return answer
}

/** Every 503 says when to try again (RFC 9110, 10.2.3), wherever it was made. A route that knows better says so itself. */
export const retryAfter =
  () =>
  (next: Handler): Handler =>
  (request, ...rest) => {
    const answer = next(request, ...rest)
    return answer instanceof Promise ? answer.then(withRetryAfter) : withRetryAfter(answer)
  }

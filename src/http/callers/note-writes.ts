import { Elysia } from 'elysia'
import { isTransient } from '../../../core/postgres/transient-errors'
import { jsonResponse } from '../convention/body/json'
import { type Answer, type Handler, whenAnswered } from '../convention/handler'
import { isSafe } from '../convention/safe-methods'
import type { Deps } from '../deps'
import { findPrincipal } from './auth'
import { callerIdOf } from './authenticator'

const reading = new WeakSet<Request>()

/** For a POST that changes nothing. */
export const onlyReads = (request: Request): void => {
  reading.add(request)
}

/** Routes that report on jobs. Their callers will next read what the jobs have written. */
const REPORTS_ON_JOBS = /\/(scrape-jobs|work|loads|crawls|runs)(\/|\?|$)/

/**
 * With replicas: notes the caller of each request that can write, even if the request failed, and of each request to a route of
 * `REPORTS_ON_JOBS`. The response waits for the note, so the caller's next request reads from the primary, whichever process handles it.
 * Event streams note their callers themselves.
 */
export const noteWrites = ({ noteWrite, log }: Pick<Deps, 'noteWrite' | 'log'>) => {
  const plugin = new Elysia({ name: 'note writes' })
  if (noteWrite === null) return plugin

  const note = async (request: Request, response: Response): Promise<Response> => {
    const principal = findPrincipal(request)
    if (principal === undefined || reading.has(request)) return response
    try {
      await noteWrite(callerIdOf(principal))
      return response
    } catch (error) {
      log[isTransient(error) ? 'warn' : 'error'](
        { err: error },
        'could not note that this caller wrote: the response is 503, because a replica may not have the write yet',
      )
      if (response.status >= 500) return response
      return jsonResponse(
        '{"error":"the database became unavailable after this request was processed: check whether it took effect"}',
        {
          status: 503,
        },
      )
    }
  }

  return plugin.wrap(
    (next: Handler): Handler =>
      (request, ...rest) => {
        const answer = next(request, ...rest) as Answer
        return isSafe(request) && !REPORTS_ON_JOBS.test(request.url)
          ? answer
          : whenAnswered(answer, (response) => note(request, response))
      },
  )
}

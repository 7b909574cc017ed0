import { Elysia } from 'elysia'
import { isTransient } from '../../../core/postgres/transient-errors'
import { jsonResponse } from '../convention/body/json'
import type { Deps } from '../deps'
import { findPrincipal } from './auth'
import { callerIdOf } from './caller-of'

const reading = new WeakSet<Request>()

/** For a POST that changes nothing. */
export const onlyReads = (request: Request): void => {
  reading.add(request)
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Reads of what jobs have done. Their callers look next at what the jobs have changed. */
const TELLS_OF_JOBS = /\/(scrape-jobs|work|loads|crawls|runs)(\/|\?|$)/

/**
 * With replicas: notes the caller of each request that may have written, also when it failed, and of requests for jobs. The response waits for
 * the note, so the caller's next request reads from the primary, in whichever process. Streams of events do it themselves.
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
        'a write was not noted for its caller: the response is 503, because a replica could lack the write',
      )
      if (response.status >= 500) return response
      return jsonResponse('{"error":"the database was lost after this request was processed: check its result"}', {
        status: 503,
      })
    }
  }

  return plugin.wrap((next) => (request: Request, ...rest: unknown[]) => {
    const handle = next as unknown as (request: Request, ...rest: unknown[]) => Response | Promise<Response>
    const answer = handle(request, ...rest)
    return SAFE_METHODS.has(request.method) && !TELLS_OF_JOBS.test(request.url)
      ? answer
      : Promise.resolve(answer).then((response) => note(request, response))
  })
}

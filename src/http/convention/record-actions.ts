import { Elysia } from 'elysia'
import { HIDDEN, isSecretName, redactUrl } from '../../../adapters/http/redact-url'
import { insertAdminAction } from '../../../drizzle/queries/people/admin-actions'
import { findPrincipal, isAdminAct } from '../callers/auth'
import type { Deps } from '../deps'
import { type Answer, type Handler, whenAnswered } from './handler'
import { isSafe } from './safe-methods'

/** A longer body, such as a polygon, is not kept. */
const MAX_BODY_CHARS = 4_000

/** Removes tokens and passwords from a body. The path of a webhook is hidden too, because many receivers put a token there. */
const hideSecret = (name: string, value: unknown): unknown => {
  if (typeof value !== 'string') return value
  if (isSecretName(name)) return HIDDEN
  if (name === 'webhook_url') return `${URL.parse(value)?.origin}/${HIDDEN}`
  return /^https?:/i.test(value) ? redactUrl(value) : value
}

/**
 * Records each change that only an admin can make: who, which route, and the body without its secrets. The response waits for it, so an
 * admin who has the response finds the change in the list. Refused requests are not recorded.
 */
export const recordActions = ({ sql, log }: Pick<Deps, 'sql' | 'log'>) => {
  const bodies = new WeakMap<Request, unknown>()

  const record = async (request: Request, response: Response): Promise<Response> => {
    const actor = findPrincipal(request)?.actor
    if (response.status >= 300 || actor === undefined || !isAdminAct(request)) return response
    const { method, url } = request
    const { pathname } = new URL(url)
    const text = JSON.stringify(bodies.get(request) ?? null, hideSecret)
    const body = text === 'null' || text.length > MAX_BODY_CHARS ? null : text
    const action = { actor, method, path: pathname.startsWith('/v1/') ? pathname : `/v1${pathname}` }
    await insertAdminAction(sql, { ...action, body }).catch((error) =>
      log.error({ err: error, action }, 'an action of an admin was not recorded: it is missing from the page Activity'),
    )
    return response
  }

  return new Elysia({ name: 'record actions' })
    .onTransform({ as: 'global' }, ({ request, body }) => {
      if (!isSafe(request) && body !== undefined) bodies.set(request, body)
    })
    .wrap(
      (next: Handler): Handler =>
        (request, ...rest) => {
          const answer = next(request, ...rest) as Answer
          return isSafe(request) ? answer : whenAnswered(answer, (response) => record(request, response))
        },
    )
}

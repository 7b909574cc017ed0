import { isLoopbackName } from '../../../core/loopback'
import { HttpError } from '../convention/errors'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A cookie goes along whoever had the browser make the request: one that changes something must come from a page of this service.
 * Browsers say so in Origin with every such request (WHATWG Fetch, 3.1), and no page can make them lie. The service is at home at
 * BASE_URL; on one's own machine also under the other names of that, and at other ports.
 *
 * @throws HttpError 403
 */
export const refuseOtherOrigins = (request: Request, baseUrl: string): void => {
  if (SAFE_METHODS.has(request.method)) return
  const origin = request.headers.get('origin')
  const asked = new URL(request.url)
  const isHome = origin === new URL(baseUrl).origin || (isLoopbackName(asked.hostname) && origin === asked.origin)
  if (!isHome) {
    throw new HttpError(403, `with a session, ${request.method} takes requests of this service's own pages alone`)
  }
}

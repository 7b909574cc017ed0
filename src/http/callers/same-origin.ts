import { isLoopbackName } from '../../../core/network/loopback'
import { HttpError } from '../convention/errors'
import { isSafe } from '../convention/safe-methods'

/**
 * Browsers send cookies with requests from any site, so a request that changes something must come from a page of this service.
 * Browsers send Origin with every such request (WHATWG Fetch, 3.1), and pages cannot forge it. The allowed origin is that of BASE_URL.
 * On the local machine, other loopback names and ports are allowed too.
 *
 * @throws HttpError 403
 */
export const refuseOtherOrigins = (request: Request, baseUrl: string): void => {
  if (isSafe(request)) return
  const origin = request.headers.get('origin')
  const asked = new URL(request.url)
  const isHome = origin === new URL(baseUrl).origin || (isLoopbackName(asked.hostname) && origin === asked.origin)
  if (!isHome) {
    throw new HttpError(403, `with a session, ${request.method} requests must come from this service's own pages`)
  }
}

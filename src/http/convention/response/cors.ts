import { pathOf } from '../path-of'

/** Origins whose pages may call the API: all (`*`) or a set. */
export type CorsOrigins = '*' | ReadonlySet<string>

const EXPOSED =
  'ETag, Link, Deprecation, Sunset, Warning, Retry-After, Idempotent-Replayed, Server-Timing, X-Request-Id, X-Dataset-Version, Accept-Ranges, Content-Range, Content-Disposition, Content-Length'

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'X-Service-Key, Content-Type, Idempotency-Key, If-None-Match, Range, If-Range, Last-Event-ID, X-Dataset-Version, X-Request-Id, MCP-Protocol-Version, Traceparent, Tracestate',
  'access-control-max-age': '7200',
}

/**
 * Lets pages of `origins` read responses in a browser (Fetch standard, CORS protocol). Keys are sent in a header, so credentials mode
 * (cookies) is not enabled. Tiles are public and set their own headers (tile-headers.ts).
 */
export const crossOrigin = (origins: CorsOrigins) => {
  const variesByOrigin = origins !== '*' && origins.size > 0
  const allowed = (request: Request): string | null => {
    if (origins === '*') return '*'
    if (!variesByOrigin) return null
    const origin = request.headers.get('origin')
    return origin !== null && origins.has(origin) ? origin : null
  }
  return {
    /** Adds the CORS headers of the response to this request. */
    setHeaders: (headers: Headers, request: Request, path: string): void => {
      if (path.startsWith('/tiles/')) return
      if (variesByOrigin) headers.append('vary', 'Origin')
      const origin = allowed(request)
      if (origin === null) return
      headers.set('access-control-allow-origin', origin)
      headers.set('access-control-expose-headers', EXPOSED)
    },
    /** The response to a preflight request. Null when this is not one, or its origin is not allowed. */
    answerPreflight: (request: Request): Response | null => {
      const asks = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
      return asks && !pathOf(request).startsWith('/tiles/') && allowed(request) !== null
        ? new Response(null, { status: 204, headers: PREFLIGHT })
        : null
    },
  }
}

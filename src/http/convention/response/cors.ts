/** Origins whose pages may call the API: all (`*`) or a set. */
export type CorsOrigins = '*' | ReadonlySet<string>

const EXPOSED =
  'ETag, Link, Deprecation, Sunset, Warning, Retry-After, Idempotent-Replayed, Server-Timing, X-Request-Id, X-Dataset-Version, Accept-Ranges, Content-Range'

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
  'access-control-allow-headers':
    'X-Service-Key, Content-Type, Idempotency-Key, If-None-Match, Range, If-Range, Last-Event-ID, X-Request-Id, Traceparent, Tracestate',
  'access-control-max-age': '7200',
}

/**
 * Lets pages of `origins` read responses in a browser (Fetch standard, CORS protocol). Keys are sent in a header, so credentials mode
 * (cookies) is not enabled. Tiles are public and set their own headers (tile-headers.ts).
 */
export const crossOrigin = (origins: CorsOrigins) => {
  const vary = origins === '*' || origins.size === 0 ? {} : { vary: 'Origin' }
  const allowed = (request: Request): string | null => {
    if (origins === '*') return '*'
    const origin = request.headers.get('origin')
    return origin !== null && origins.has(origin) ? origin : null
  }
  return {
    /** CORS headers for the response to this request. */
    headersOf: (request: Request, path: string): Record<string, string> => {
      if (path.startsWith('/tiles/')) return {}
      const origin = allowed(request)
      return origin === null
        ? vary
        : { ...vary, 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
    },
    /** Headers for a preflight response. Null when this is not a preflight request or its origin is not allowed. */
    preflightHeadersOf: (request: Request, path: string): Record<string, string> | null => {
      const asks = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
      return asks && !path.startsWith('/tiles/') && allowed(request) !== null ? PREFLIGHT : null
    },
  }
}

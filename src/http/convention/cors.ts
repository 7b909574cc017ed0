/** Origins whose pages may call the API: all of them, or these. */
export type CorsOrigins = '*' | ReadonlySet<string>

const EXPOSED =
  'ETag, Link, Deprecation, Sunset, Warning, Retry-After, Idempotent-Replayed, Server-Timing, X-Request-Id, Accept-Ranges'

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
  'access-control-allow-headers':
    'X-Service-Key, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Request-Id, Traceparent, Tracestate',
  'access-control-max-age': '7200',
}

/**
 * Who may read answers in a browser (Fetch standard, CORS protocol): pages of `origins`. Keys go by header, so that credentials,
 * which browsers add by themselves, are not asked for. Tiles are everybody's, and see to it themselves (tile-headers.ts).
 */
export const crossOrigin = (origins: CorsOrigins) => {
  const vary = origins === '*' || origins.size === 0 ? {} : { vary: 'Origin' }
  const allowed = (request: Request): string | null => {
    if (origins === '*') return '*'
    const origin = request.headers.get('origin')
    return origin !== null && origins.has(origin) ? origin : null
  }
  return {
    /** Of every answer to this request. */
    headersOf: (request: Request, path: string): Record<string, string> => {
      if (path.startsWith('/tiles/')) return {}
      const origin = allowed(request)
      return origin === null
        ? vary
        : { ...vary, 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED }
    },
    /** What a browser asks before it sends what a form could not. Null: it is no such question, or not from an origin that may. */
    preflightHeadersOf: (request: Request, path: string): Record<string, string> | null => {
      const asks = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
      return asks && !path.startsWith('/tiles/') && allowed(request) !== null ? PREFLIGHT : null
    },
  }
}

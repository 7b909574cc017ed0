/** For responses that change with each build: cached briefly in browsers, longer at the edge. */
export const MOVING = 'public, max-age=60, s-maxage=300'
/** For URLs that contain a hash of their content. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'

/** Maps on any site may read tiles and byte ranges of archives (Fetch standard, CORS protocol). */
export const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, Content-Range, Content-Length, Accept-Ranges, X-Request-Id, X-Dataset-Version',
}
/** Tiles need no key, but a client sends its key with every request: a browser would refuse the request if the key were not allowed. */
export const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers':
    'Range, If-Range, If-None-Match, X-Service-Key, X-Dataset-Version, X-Request-Id, Traceparent, Tracestate',
  'access-control-max-age': '86400',
}

export const METHODS = 'GET, HEAD, OPTIONS'

/** Headers of every response. */
export type CommonHeaders = (request: Request) => Record<string, string>

export const commonHeaders = (baseUrl: string): CommonHeaders => {
  const always = {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(baseUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  }
  return (request) => ({ 'x-request-id': requestId(request), ...always })
}

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** The caller's request id if it is well-formed, otherwise a new one. */
const requestId = (request: Request): string => {
  const given = request.headers.get('x-request-id')
  return given !== null && SANE_REQUEST_ID.test(given) ? given : crypto.randomUUID()
}

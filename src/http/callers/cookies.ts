/** Cookie with the session token of a signed-in browser. */
export const SESSION_COOKIE = 'pds_session'
/** Cookie that ties a sign-in attempt to the browser that started it. */
export const SIGN_IN_COOKIE = 'pds_sign_in'

/**
 * Full name of a cookie. Over HTTPS the `__Host-` prefix binds the cookie to this host, so that a sibling domain cannot set it
 * (RFC 6265bis, 4.1.3.2).
 */
export const cookieName = (name: string, baseUrl: string): string => (isSecure(baseUrl) ? `__Host-${name}` : name)

const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:')

/** Value of a request cookie, or null. If there are several, the first one: browsers send the most specific cookie first. */
export const readCookie = (request: Request, name: string): string | null => {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [key = '', value = ''] = pair.trim().split('=', 2)
    if (key === name && value !== '') return value
  }
  return null
}

/**
 * A Set-Cookie value. Scripts cannot read the cookie, and browsers do not send it with unsafe requests from other sites. Without
 * `maxAgeS` the cookie lasts until the browser closes; 0 deletes it.
 */
export const writeCookie = (
  name: string,
  value: string,
  { baseUrl, maxAgeS }: { baseUrl: string; maxAgeS?: number },
): string =>
  [
    `${cookieName(name, baseUrl)}=${value}`,
    'Path=/',
    ...(maxAgeS === undefined ? [] : [`Max-Age=${maxAgeS}`]),
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(baseUrl) ? ['Secure'] : []),
  ].join('; ')

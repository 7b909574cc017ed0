/** The cookie that a signed-in browser is known by. */
export const SESSION_COOKIE = 'pds_session'
/** The cookie that a browser is known by while its user is at the identity provider. */
export const SIGN_IN_COOKIE = 'pds_sign_in'

/**
 * What a cookie is called where the service is reached at `baseUrl`. Behind HTTPS the name binds it to this very host, so that no
 * neighbouring one can plant it (RFC 6265bis, 4.1.3.2).
 */
export const cookieName = (name: string, baseUrl: string): string => (isSecure(baseUrl) ? `__Host-${name}` : name)

/** Whether people reach the service over HTTPS. */
const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:')

/** What a request's cookies hold under `name`; null when there is none. Of several, the first, as browsers send the most specific one first. */
export const readCookie = (request: Request, name: string): string | null => {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [key = '', value = ''] = pair.trim().split('=', 2)
    if (key === name && value !== '') return value
  }
  return null
}

/**
 * A Set-Cookie line: out of reach of scripts, and not sent along with other sites' unsafe requests. Without `maxAgeS` the cookie goes
 * with the browser; 0 removes it.
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

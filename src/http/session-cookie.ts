/**
 * The cookie that a signed-in browser is known by: an opaque token, out of reach of scripts, not sent along with other sites'
 * unsafe requests. Behind HTTPS its name binds it to this very host, so that no neighbouring one can plant it
 * (RFC 6265bis, 4.1.3.2).
 */
export const sessionCookieName = (baseUrl: string): string => (isSecure(baseUrl) ? '__Host-pds_session' : 'pds_session')

/** Whether people reach the service over HTTPS. */
export const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:')

/** What a request's cookies hold under `name`; null when there is none. Of several, the first, as browsers send the most specific one first. */
export const readCookie = (request: Request, name: string): string | null => {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const [key = '', value = ''] = pair.trim().split('=', 2)
    if (key === name && value !== '') return value
  }
  return null
}

/** A Set-Cookie line. Without `maxAgeS` the cookie goes with the browser; 0 removes it. */
export const writeCookie = (
  name: string,
  value: string,
  { baseUrl, path = '/', maxAgeS }: { baseUrl: string; path?: string; maxAgeS?: number },
): string =>
  [
    `${name}=${value}`,
    `Path=${path}`,
    ...(maxAgeS === undefined ? [] : [`Max-Age=${maxAgeS}`]),
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(baseUrl) ? ['Secure'] : []),
  ].join('; ')

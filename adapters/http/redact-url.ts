/** Names of query parameters and settings that contain a secret. Plain `key` and `id` identify parcels at many portals. */
const SECRET =
  /(?:^|[-_.])(?:(?:access|api|app|auth|csrf|id|refresh|session|xsrf)?[-_]?token|(?:access|api|app|secret|subscription)[-_]?key|auth(?:orization)?|pass(?:word|wd)?|pwd|secret|session(?:[-_]?id)?|(?:php)?sessid|sid|jwt|sig(?:nature)?|credential)$/i

/** Session ids in the path: `;jsessionid=...` of Java servers, `/(S(...))/` of ASP.NET. */
const PATH_SESSION = /;(\w*session\w*|cfid|cftoken|sid)=[^/?#;]*|\(([A-Z])\([^()]*\)\)/gi

/** Replaces a secret. */
export const HIDDEN = 'REDACTED'

/** Whether a query parameter or setting of this name contains a secret. */
export const isSecretName = (name: string): boolean => SECRET.test(name)

/** The URL without passwords, tokens and session ids, so that it can be stored. An invalid URL is cut at its query. */
export const redactUrl = (url: string): string => {
  if (!URL.canParse(url)) return url.split(/[?#]/, 1)[0] ?? ''
  const [address = '', ...fragments] = url.split('#')
  const [path = '', ...queries] = address.split('?')
  const withoutUser = path.replace(/^([\w+.-]+:\/\/)[^/@]*@/, '$1')
  const cleanPath = withoutUser.replace(PATH_SESSION, (_, name?: string, kind?: string) =>
    name === undefined ? `(${kind}(${HIDDEN}))` : `;${name}=${HIDDEN}`,
  )
  const query = queries.length === 0 ? '' : `?${redactPairs(queries.join('?'))}`
  const fragment = fragments.length === 0 ? '' : `#${redactFragment(fragments.join('#'))}`
  return `${cleanPath}${query}${fragment}`
}

/** Apps in a page put a query into the fragment too: `#/parcel?token=...`. */
const redactFragment = (fragment: string): string => {
  const [route = '', ...queries] = fragment.split('?')
  return [redactPairs(route), ...queries.map(redactPairs)].join('?')
}

const redactPairs = (query: string): string =>
  query
    .split('&')
    .map((pair) => {
      const name = pair.split('=', 1)[0] ?? ''
      return name.length < pair.length && isSecretName(decode(name)) ? `${name}=${HIDDEN}` : pair
    })
    .join('&')

const decode = (name: string): string => {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

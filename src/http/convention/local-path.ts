/**
 * Whether `text`, in a Location header, is a path of this service. Browsers treat `//host` and `/\host` as another host, and also any
 * text that becomes one of these when tabs, newlines and dot segments are removed (WHATWG URL, 4.4).
 */
export const isLocalPath = (text: string): boolean => {
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(text) || text.includes('\\') || !URL.canParse(text, BASE)) return false
  const { origin, pathname } = new URL(text, BASE)
  return origin === BASE && !pathname.startsWith('//')
}

const BASE = 'http://localhost'

/**
 * Whether `text`, in a Location header, leads to this service and nowhere else. Browsers take `//host`, `/\host` and what becomes
 * either once tabs, newlines and dot segments are gone (WHATWG URL, 4.4) for another host's address.
 */
export const isLocalPath = (text: string): boolean => {
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(text) || text.includes('\\') || !URL.canParse(text, BASE)) return false
  const { origin, pathname } = new URL(text, BASE)
  return origin === BASE && !pathname.startsWith('//')
}

const BASE = 'http://localhost'

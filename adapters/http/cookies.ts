import { CookieJar } from 'tough-cookie'
import { COOKIE_BOUNDS } from '../../core/bounds'

const MAX_JARS = 1_000

/** The cookies of each source, of at most `MAX_JARS` sources: the one that was used longest ago goes first. */
export const createCookieJars = (): ((source: string) => CookieJar) => {
  const jars = new Map<string, CookieJar>()
  return (source) => {
    const jar = jars.get(source) ?? new CookieJar()
    jars.delete(source)
    jars.set(source, jar)
    const [oldest] = jars.keys()
    if (jars.size > MAX_JARS && oldest !== undefined) jars.delete(oldest)
    return jar
  }
}

/** The header with the cookies for a URL. Empty if there are none. */
export const cookieHeader = async (jar: CookieJar, url: string): Promise<Record<string, string>> => {
  const cookie = await jar.getCookieString(url)
  return cookie === '' ? {} : { cookie }
}

/**
 * A portal that names its cookies differently for each request would fill the jar until it refuses the requests. Such a jar is emptied:
 * the portal begins a new session with the cookies of this response.
 */
export const storeCookies = async (jar: CookieJar, cookies: readonly string[], url: string): Promise<void> => {
  const { most, bytes } = COOKIE_BOUNDS
  const store = async () => {
    for (const cookie of cookies.filter(({ length }) => length <= bytes).slice(0, most)) {
      await jar.setCookie(cookie, url, { ignoreError: true })
    }
  }
  await store()
  if (cookies.length === 0 || (await jar.store.getAllCookies()).length <= most) return
  await jar.removeAllCookies()
  await store()
}

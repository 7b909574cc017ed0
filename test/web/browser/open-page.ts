import type { Browser, BrowserContext, Page } from 'playwright-core'
import { SESSION_COOKIE } from '../../../src/http/callers/cookies'
import { PAGE_TIMEOUT_MS } from '../../support/deadlines'

export interface Visitor {
  /** A key that was typed in. */
  key?: string | null
  /** The token of a session. */
  token?: string | null
  theme?: 'light' | 'dark'
  width?: number
  height?: number
}

export interface OpenedPage {
  page: Page
  /** Errors, violations of the content security policy, and requests to other servers. */
  complaints: string[]
  /** Compressed bytes of each script, by its path. */
  scripts: Map<string, number>
}

/**
 * Opens pages of the web app at `base`. Visitors with the same key and session share a browser context. A page that was closed is used
 * again: its process has the app's code compiled, so the next page opens with a third of the processor time.
 */
export const createOpener = (browser: Browser, base: string, usual: Visitor = {}) => {
  const contexts = new Map<string, { context: Promise<BrowserContext>; idle: Page[] }>()
  const contextOf = (key: string | null, token: string | null) => {
    const name = JSON.stringify([key, token])
    const known = contexts.get(name) ?? { context: createContext(browser, base, key, token), idle: [] }
    contexts.set(name, known)
    return known
  }

  return async (path: string, visitor: Visitor = {}, prepare?: (page: Page) => void): Promise<OpenedPage> => {
    const { key = null, token = null, theme = 'light', width = 1280, height = 860 } = { ...usual, ...visitor }
    const { context, idle } = contextOf(key, token)
    const page = idle.pop() ?? (await (await context).newPage())
    closers.set(page, async () => {
      await movePointerAway(page)
      for (const event of ['pageerror', 'console', 'request', 'response'] as const) await page.removeAllListeners(event)
      // The next page must not see what this one stored.
      await page.evaluate('localStorage.clear(); sessionStorage.clear()')
      await page.goto('about:blank')
      idle.push(page)
    })
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    prepare?.(page)
    const complaints: string[] = []
    const scripts = new Map<string, number>()
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      // The page itself reports refused requests.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text())
    })
    page.on('response', async (response) => {
      const { origin, pathname } = new URL(response.url())
      if (origin !== base && !/^(data|blob):/.test(response.url())) complaints.push(response.url())
      if (!/\.m?js$/.test(pathname)) return
      // The page may have closed: a map's parts arrive late.
      const headers = await response.allHeaders().catch(() => null)
      if (headers !== null) scripts.set(pathname, Number(headers['content-length']))
    })
    await page.goto(`${base}${path}`)
    await page.waitForSelector('main')
    return { page, complaints, scripts }
  }
}

const createContext = async (browser: Browser, base: string, key: string | null, token: string | null) => {
  // The processor draws every pixel, so maps are drawn with a quarter of the pixels, which changes neither layout nor colors. Screenshots
  // for people have all pixels.
  const context = await browser.newContext({ deviceScaleFactor: process.env.SCREENSHOTS === undefined ? 0.5 : 1 })
  context.setDefaultTimeout(PAGE_TIMEOUT_MS)
  if (token !== null) await context.addCookies([{ name: SESSION_COOKIE, value: token, url: base }])
  if (key !== null)
    await context.addInitScript(`if (location.origin === '${base}') sessionStorage.setItem('parcel-key', '${key}')`)
  return context
}

/**
 * Visits pages of the web app at `base` by links, in one document for each visitor. A page that is opened by a link costs a fifth of the
 * processor time of one that is loaded. The documents keep responses, so change data before their first visit.
 */
export const createVisits = (browser: Browser, base: string, usual: Visitor = {}) => {
  const open = createOpener(browser, base, usual)
  const documents = new Map<string, Promise<OpenedPage>>()
  return async (path: string, visitor: Visitor = {}): Promise<OpenedPage> => {
    const { key = null, token = null, theme = 'light', width = 1280, height = 860 } = { ...usual, ...visitor }
    const name = JSON.stringify([key, token])
    const opened = documents.get(name) ?? open(NO_SUCH_PAGE, { key, token })
    documents.set(name, opened)
    const { page, complaints } = await opened
    // Nothing of the previous page may be mistaken for this one, and only an empty page is cheap to resize and to recolor.
    await follow(page, NO_SUCH_PAGE)
    await page.waitForSelector('h1:has-text("Page not found")')
    await movePointerAway(page)
    complaints.length = 0
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await follow(page, path)
    return opened
  }
}

/** A page that opens under a resting pointer behaves as if it had moved there: it shows labels, and makes hits active. */
const movePointerAway = (page: Page): Promise<void> => page.mouse.move(0, 0)

/** What `closePage` does with each open page. */
const closers = new WeakMap<Page, () => Promise<void>>()

/** Closes a page that an opener opened. */
export const closePage = async (page: Page): Promise<void> => closers.get(page)?.()

/** A URL for which the app shows “Page not found”. */
export const NO_SUCH_PAGE = '/app/no-such-page'

/** Goes to another page of the app without loading a document, as a link does. */
export const follow = (page: Page, path: string): Promise<void> =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)

/** Waits for the map of the page, if it has one. */
export const waitForMap = async (page: Page): Promise<void> => {
  if ((await page.locator('.map-frame').count()) > 0) await page.waitForSelector('.map[data-view=idle]')
}

/** Waits until no request of the page is in progress. */
export const settle = async (page: Page): Promise<void> => {
  await page.waitForSelector('.spinner', { state: 'detached' })
  await page.waitForSelector('.shell:not([data-busy])')
}

import type { Browser, Page } from 'playwright-core'
import { SESSION_COOKIE } from '../../src/http/callers/cookies'
import { PAGE_TIMEOUT_MS } from '../deadlines'

export interface Visitor {
  /** A key that was typed in. */
  key?: string | null
  /** Of a session. */
  token?: string | null
  theme?: 'light' | 'dark'
  width?: number
}

export interface OpenedPage {
  page: Page
  /** Errors, refusals of the policy, and what the page asked of others. */
  complaints: string[]
  /** Bytes, compressed, of each script that came. */
  scripts: Map<string, number>
}

/** Opens pages of the web app at `base`, each in a browser context of its own. */
export const createOpener =
  (browser: Browser, base: string, usual: Visitor = {}) =>
  async (path: string, visitor: Visitor = {}, prepare?: (page: Page) => void): Promise<OpenedPage> => {
    const { key = null, token = null, theme = 'light', width = 1280 } = { ...usual, ...visitor }
    const context = await browser.newContext({
      viewport: { width, height: 860 },
      colorScheme: theme,
      reducedMotion: 'reduce',
    })
    if (token !== null) await context.addCookies([{ name: SESSION_COOKIE, value: token, url: base }])
    const page = await context.newPage()
    page.setDefaultTimeout(PAGE_TIMEOUT_MS)
    prepare?.(page)
    const complaints: string[] = []
    const scripts = new Map<string, number>()
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      // What is refused is told by the page itself.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text())
    })
    page.on('response', async (response) => {
      const { origin, pathname } = new URL(response.url())
      if (origin !== base && !/^(data|blob):/.test(response.url())) complaints.push(response.url())
      if (!/\.m?js$/.test(pathname)) return
      // A page that is closed meanwhile (a map's parts come late) has nothing more to say.
      const headers = await response.allHeaders().catch(() => null)
      if (headers !== null) scripts.set(pathname, Number(headers['content-length']))
    })
    if (key !== null) await page.addInitScript(`sessionStorage.setItem('parcel-key', '${key}')`)
    await page.goto(`${base}${path}`)
    await page.waitForSelector('main')
    return { page, complaints, scripts }
  }

export const closePage = (page: Page): Promise<void> => page.context().close()

/** All that was asked for has come. */
export const settle = async (page: Page): Promise<void> => {
  await page.waitForSelector('.spinner', { state: 'detached' })
  await page.waitForSelector('.shell:not([data-busy])')
}

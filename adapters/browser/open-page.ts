import type { Browser, BrowserContext } from 'playwright-core'
import { PAGE_BOUNDS } from '../../core/bounds'
import type { BrowserPage } from '../adapter'
import type { Waiting } from '../http/host-turns'
import type { PortalAccess } from '../http/http-client'
import { ScrapeError } from '../scrape-error'
import { SCRAPE_LIMIT_MS } from '../scrape-limits'
import { setApproach } from './approach'
import { boundBodies } from './bound-bodies'
import { guardRequests } from './guard-requests'
import { setPatience } from './patience'
import { closePage } from './refusals'

export interface PageOptions {
  userAgent: string
  /** Decides which URLs may be requested, and when. */
  portals: Pick<PortalAccess, 'approach' | 'heed'>
  /** How long to wait for content that scripts load. Default: long enough for slow portals. */
  readyMs?: number
  /** Limit for one decompressed response, and for the page after its scripts have run. */
  maxBodyBytes?: number
}

/** Opens a page in its own context, which has the limits of a scrape and is closed when the signal aborts. */
export const openPage = async (
  browser: Browser,
  { userAgent, portals, readyMs, maxBodyBytes = PAGE_BOUNDS.bytes }: PageOptions,
  signal: AbortSignal,
  waiting: Waiting | undefined,
): Promise<BrowserPage> => {
  const context = await openContext(browser, userAgent, signal)
  const page = await context.newPage()
  if (readyMs !== undefined) setPatience(page, readyMs)
  setApproach(page, (url) => portals.approach(url, signal, waiting))
  // If a window opens despite Chromium's flag, close it.
  context.on('page', (other) => void (other !== page && other.close().catch(() => {})))
  page.on('crash', () => closePage(page, new ScrapeError('page_changed', 'the page uses more memory than allowed')))
  context.on('response', (response) => {
    const url = URL.parse(response.url())
    if (url !== null && /^https?:$/.test(url.protocol)) {
      portals.heed(url, response.status(), response.headers(), signal)
    }
  })
  await boundBodies(page, maxBodyBytes)
  await guardRequests(page)
  signal.throwIfAborted()
  return page
}

const openContext = async (browser: Browser, userAgent: string, signal: AbortSignal): Promise<BrowserContext> => {
  const context = await browser.newContext({
    userAgent,
    acceptDownloads: false,
    serviceWorkers: 'block',
    locale: 'en-US',
  })
  const close = () => void context.close().catch(() => {})
  if (signal.aborted) close()
  signal.throwIfAborted()
  signal.addEventListener('abort', close, { once: true })
  context.once('close', () => signal.removeEventListener('abort', close))
  context.setDefaultTimeout(SCRAPE_LIMIT_MS.plain)
  return context
}

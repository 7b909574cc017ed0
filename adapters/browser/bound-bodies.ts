import { PAGE_BOUNDS } from '../../core/bounds'
import type { BrowserPage } from '../adapter'
import { ScrapeError } from '../scrape-error'
import { closePage } from './refusals'

const bounds = new WeakMap<BrowserPage, number>()

/**
 * Closes the page as soon as one response, decompressed, is larger than `maxBytes`: Playwright would copy the whole body into this
 * process. Bytes are counted as they arrive; the portal's Content-Length is ignored.
 */
export const boundBodies = async (page: BrowserPage, maxBytes: number): Promise<void> => {
  bounds.set(page, maxBytes)
  const session = await page.context().newCDPSession(page)
  const sizes = new Map<string, number>()
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const size = (sizes.get(requestId) ?? 0) + dataLength
    sizes.set(requestId, size)
    if (size > maxBytes) closePage(page, tooLarge(maxBytes))
  })
  session.on('Network.loadingFinished', ({ requestId }) => void sizes.delete(requestId))
  session.on('Network.loadingFailed', ({ requestId }) => void sizes.delete(requestId))
  await session.send('Network.enable')
}

/** @throws ScrapeError `too_large` when scripts have made the page larger than the limit for bodies */
export const expectBoundContent = async (page: BrowserPage): Promise<void> => {
  const maxBytes = bounds.get(page) ?? PAGE_BOUNDS.bytes
  const length = await page.evaluate<number>('document.documentElement?.outerHTML.length ?? 0')
  if (length > maxBytes) throw tooLarge(maxBytes)
}

/** @throws ScrapeError `too_large` when the body is larger than the limit: a response can be read before its bytes are counted */
export const expectBoundBody = (page: BrowserPage, body: string): string => {
  const maxBytes = bounds.get(page) ?? PAGE_BOUNDS.bytes
  if (Buffer.byteLength(body) > maxBytes) throw tooLarge(maxBytes)
  return body
}

const tooLarge = (maxBytes: number): ScrapeError =>
  new ScrapeError('too_large', `the response is larger than ${maxBytes} bytes`)

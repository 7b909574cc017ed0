import type { Request } from 'playwright-core'
import type { BrowserPage } from '../adapter'
import { ScrapeError } from '../scrape-error'
import { useTurn } from './approach'
import { closePage, refusePage } from './refusals'

/** Resources that a scrape does not need and that would waste the portal's bandwidth. */
const UNUSED = new Set(['image', 'font', 'media'])
/** Requests that one page may make, including its frames and scripts. The heaviest known portal makes about 120. */
const MAX_REQUESTS = 1_000

/** Counts the requests of the page, blocks those that a scrape does not need, and lets each navigation wait for its turn. */
export const guardRequests = async (page: BrowserPage): Promise<void> => {
  let requests = 0
  // Playwright calls this without awaiting it. A rejection would end the process, so catch everything.
  await page.context().route('**/*', async (asked) => {
    try {
      const request = asked.request()
      requests++
      if (requests > MAX_REQUESTS) {
        closePage(page, new ScrapeError('page_changed', `the page makes more than ${MAX_REQUESTS} requests`))
        return
      }
      if (UNUSED.has(request.resourceType())) return await asked.abort('blockedbyclient')
      // All navigations of the page and its frames pass through here.
      if (request.isNavigationRequest()) await useTurn(page, request.url())
      await asked.continue()
    } catch (error) {
      if (error instanceof ScrapeError && isOfMainFrame(page, asked.request())) refusePage(page, error)
      // The page may already be closed.
      await asked.abort('blockedbyclient').catch(() => {})
    }
  })
}

/** Whether the request is from the page itself and not from a frame in it. Playwright throws if a request has no frame yet: a new window. */
const isOfMainFrame = (page: BrowserPage, request: Request): boolean => {
  try {
    return request.frame() === page.mainFrame()
  } catch {
    return false
  }
}

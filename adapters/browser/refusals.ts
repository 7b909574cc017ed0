import type { BrowserPage } from '../adapter'
import type { ScrapeError } from '../scrape-error'

/** Why a page was not asked for: Chromium only knows that it was blocked. */
const refusals = new WeakMap<BrowserPage, ScrapeError>()

export const refusePage = (page: BrowserPage, error: ScrapeError): void => {
  refusals.set(page, error)
}

/** What was refused since the last call; null: nothing. */
export const takeRefusal = (page: BrowserPage): ScrapeError | null => {
  const refusal = refusals.get(page) ?? null
  refusals.delete(page)
  return refusal
}

import type { BrowserPage } from '../adapter'
import type { ScrapeError } from '../scrape-error'

/** Why a request was refused: Chromium only reports that it was blocked. */
const refusals = new WeakMap<BrowserPage, ScrapeError>()

export const refusePage = (page: BrowserPage, error: ScrapeError): void => {
  refusals.set(page, error)
}

/** The refusal since the last call; null: none. */
export const takeRefusal = (page: BrowserPage): ScrapeError | null => {
  const refusal = refusals.get(page) ?? null
  refusals.delete(page)
  return refusal
}

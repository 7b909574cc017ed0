import type { BrowserPage } from '../adapter'
import type { ScrapeError } from '../scrape-error'

/** Why a request was refused: Chromium only reports that it was blocked. */
const refusals = new WeakMap<BrowserPage, ScrapeError>()

export const refusePage = (page: BrowserPage, error: ScrapeError): void => {
  refusals.set(page, error)
}

/** The last refusal since `forgetRefusal`; null: none. Everything that waits for the page fails with it. */
export const findRefusal = (page: BrowserPage): ScrapeError | null => refusals.get(page) ?? null

export const forgetRefusal = (page: BrowserPage): void => {
  refusals.delete(page)
}

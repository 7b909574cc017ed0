import type { BrowserPage } from '../adapter'
import type { ScrapeError } from '../scrape-error'

/** Why a request was refused: Chromium only reports that it was blocked. */
const refusals = new WeakMap<BrowserPage, ScrapeError>()

export const refusePage = (page: BrowserPage, error: ScrapeError): void => {
  refusals.set(page, error)
}

/** Closes the page. Everything that waits for it fails with `error`. */
export const closePage = (page: BrowserPage, error: ScrapeError): void => {
  refusePage(page, error)
  void page.close().catch(() => {})
}

/** The last refusal since `forgetRefusal`; null: none. Everything that waits for the page fails with it. */
export const findRefusal = (page: BrowserPage): ScrapeError | null => refusals.get(page) ?? null

export const forgetRefusal = (page: BrowserPage): void => {
  refusals.delete(page)
}

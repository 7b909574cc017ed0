import type { BrowserPage } from '../adapter'

/** A requested URL, and the URL of the response after redirects. */
export interface Place {
  asked: string
  url: string
}

const listeners = new WeakMap<BrowserPage, (place: Place) => void>()

/** Calls `listener` with each URL that the adapter opens in the page and with the URL that the page then has. */
export const followVisits = (page: BrowserPage, listener: (place: Place) => void): void => {
  listeners.set(page, listener)
}

/** Reports the page's URL after opening `asked`. The page's scripts may have navigated elsewhere. */
export const noteVisit = (page: BrowserPage, asked: string): void => listeners.get(page)?.({ asked, url: page.url() })

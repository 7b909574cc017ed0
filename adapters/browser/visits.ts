import type { BrowserPage } from '../adapter'

/** An address that was requested, and the one that the answer came from, after redirects. */
export interface Place {
  asked: string
  url: string
}

const listeners = new WeakMap<BrowserPage, (place: Place) => void>()

/** Calls `listener` with each address that the adapter opens in the page and with the address that the page then has. */
export const followVisits = (page: BrowserPage, listener: (place: Place) => void): void => {
  listeners.set(page, listener)
}

/** Reports where the page is after it was told to open `asked`. Scripts of the page may have gone elsewhere. */
export const noteVisit = (page: BrowserPage, asked: string): void => listeners.get(page)?.({ asked, url: page.url() })

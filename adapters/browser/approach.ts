import type { BrowserPage } from '../adapter'
import { ScrapeError } from '../scrape-error'

interface Approaches {
  take: (url: URL) => Promise<void>
  /** Where the page may go by now, and has not gone yet. */
  granted: Set<string>
}

const approaches = new WeakMap<BrowserPage, Approaches>()

/** `take` is how this page gets its turn at a host. */
export const setApproach = (page: BrowserPage, take: (url: URL) => Promise<void>): void => {
  approaches.set(page, { take, granted: new Set() })
}

/**
 * Waits until the page may go to `url`. What is timed (a navigation, an answer that is awaited) begins after it: a turn may be
 * minutes away.
 *
 * @throws ScrapeError what the address is refused with; the signal's reason
 */
export const approach = async (page: BrowserPage, url: string): Promise<void> => {
  if (!URL.canParse(url)) throw new ScrapeError('bad_config', `${JSON.stringify(url.slice(0, 200))} is no address`)
  const known = approaches.get(page)
  const key = keyOf(url)
  if (known === undefined || known.granted.has(key)) return
  await known.take(new URL(url))
  known.granted.add(key)
}

/** Whether a turn was waited for already; it is used up by that. */
export const useApproach = (page: BrowserPage, url: string): boolean =>
  approaches.get(page)?.granted.delete(keyOf(url)) ?? false

/** Browsers keep what follows a `#` to themselves. */
const keyOf = (url: string): string => new URL(url).href.replace(/#.*$/, '')

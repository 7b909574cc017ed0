import type { BrowserPage } from '../adapter'
import { ScrapeError } from '../scrape-error'

interface Approaches {
  take: (url: URL) => Promise<void>
  /** URLs that the page may load now and has not loaded yet. */
  granted: Set<string>
}

const approaches = new WeakMap<BrowserPage, Approaches>()

/** `take` waits for this page's turn at a host. */
export const setApproach = (page: BrowserPage, take: (url: URL) => Promise<void>): void => {
  approaches.set(page, { take, granted: new Set() })
}

/**
 * Waits until the page may load `url`. Start timers (navigation, an awaited response) after this, because the wait may take minutes.
 *
 * @throws ScrapeError the reason why the URL is refused; the signal's reason
 */
export const approach = async (page: BrowserPage, url: string): Promise<void> => {
  if (!URL.canParse(url)) throw new ScrapeError('bad_config', `${JSON.stringify(url.slice(0, 200))} is not a valid URL`)
  const known = approaches.get(page)
  const key = keyOf(url)
  if (known === undefined || known.granted.has(key)) return
  await known.take(new URL(url))
  known.granted.add(key)
}

/** Waits for the page's turn to load `url`, unless it has already waited. The turn is used up. */
export const useTurn = async (page: BrowserPage, url: string): Promise<void> => {
  const known = approaches.get(page)
  if (known === undefined) throw new Error('setApproach was not called for this page')
  if (!known.granted.delete(keyOf(url))) await known.take(new URL(url))
}

/** Browsers do not send the fragment. */
const keyOf = (url: string): string => new URL(url).href.replace(/#.*$/, '')

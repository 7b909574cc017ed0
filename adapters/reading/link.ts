import { ScrapeError } from '../scrape-error'

/*
 * Addresses as pages write them: anything may stand in an `href`, and what is no address is a page that changed.
 */

/** @throws ScrapeError `page_changed` when it is no address, seen from the page at `pageUrl` */
export const resolveLink = (href: string, pageUrl: string | undefined): URL => {
  if (URL.canParse(href, pageUrl)) return new URL(href, pageUrl)
  throw new ScrapeError('page_changed', `a link of the page leads nowhere: ${JSON.stringify(href.slice(0, 200))}`)
}

/** What stands in an address as `%20` and the like. @throws ScrapeError `page_changed` when it was not written by an encoder */
export const decodeLink = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch (cause) {
    throw new ScrapeError('page_changed', `a link of the page is broken: ${JSON.stringify(part.slice(0, 200))}`, {
      cause,
    })
  }
}

import { ScrapeError } from '../scrape-error'

/*
 * Addresses in pages: an `href` may hold any text, and one that is not a valid address means that the page changed.
 */

/** @throws ScrapeError `page_changed` when it is not a valid address relative to the page at `pageUrl` */
export const resolveLink = (href: string, pageUrl: string | undefined): URL => {
  if (URL.canParse(href, pageUrl)) return new URL(href, pageUrl)
  throw new ScrapeError(
    'page_changed',
    `a link on the page is not a valid address: ${JSON.stringify(href.slice(0, 200))}`,
  )
}

/** Decodes percent-encoding. @throws ScrapeError `page_changed` when it is malformed */
export const decodeLink = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch (cause) {
    throw new ScrapeError(
      'page_changed',
      `a link on the page has malformed percent-encoding: ${JSON.stringify(part.slice(0, 200))}`,
      {
        cause,
      },
    )
  }
}

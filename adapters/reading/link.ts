import { SCRAPE_TEXT } from '../../core/bounds'
import { ScrapeError } from '../scrape-error'

/*
 * URLs in pages: an `href` may hold any text, and one that is not a valid URL means that the page changed.
 */

/** @throws ScrapeError `page_changed` when it is not a valid URL relative to the page at `pageUrl` */
export const resolveLink = (href: string, pageUrl: string | undefined): URL => {
  if (URL.canParse(href, pageUrl)) return new URL(href, pageUrl)
  throw new ScrapeError('page_changed', `a link on the page is not a valid URL: ${JSON.stringify(href.slice(0, 200))}`)
}

/**
 * A URL that people can open: http or https, absolute or relative to the page at `pageUrl`. Undefined for what only works on the
 * page itself (`#`, `javascript:`), contains a password, is malformed or too long.
 */
export const readWebAddress = (href: string | undefined, pageUrl?: string): string | undefined => {
  const text = href?.trim() ?? ''
  const url = text === '' || text.startsWith('#') ? null : URL.parse(text, pageUrl)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined
  return url.href.length <= SCRAPE_TEXT.document_url && isDecodable(url.href) ? url.href : undefined
}

const isDecodable = (address: string): boolean => {
  try {
    decodeURI(address)
    return true
  } catch {
    return false
  }
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

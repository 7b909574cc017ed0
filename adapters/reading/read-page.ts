import type { RawDocument } from '../adapter'
import { documentNamed } from './document-named'
import { expectPage } from './expect-page'
import { parseHtml } from './parse-html'
import { PageIndex, Region } from './region'

/**
 * The HTML document with this name, parsed.
 *
 * @throws ScrapeError `blocked`, `throttled`, `maintenance`, `not_found`, `network` as `expectPage`; `page_changed` when there
 * is no such document, `too_large` when it is too large
 */
export const readPage = (documents: readonly RawDocument[], name: string): Region => {
  const document = expectPage(documentNamed(documents, name))
  const root = parseHtml(document.body, name)
  return new Region(new PageIndex(root), root, name)
}

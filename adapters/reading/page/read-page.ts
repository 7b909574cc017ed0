import type { RawDocument } from '../../adapter'
import { documentNamed } from '../document-named'
import { parseHtml } from '../parse-html'
import { Region } from '../region'
import { dropCopies } from '../tables/drop-copies'
import { expectPage } from './expect-page'
import { expectWholePage } from './expect-whole-page'
import { PageIndex } from './page-index'
import { noteDecoding, notePage } from './reading-report'

/**
 * The HTML document with this name, parsed.
 *
 * @param end what the vendor prints last, for pages that do not end with `</html>`
 * @throws ScrapeError `blocked`, `throttled`, `maintenance`, `not_found`, `network` as `expectPage`; `page_changed` when there
 * is no such document or it was cut off, `too_large` when it is too large
 */
export const readPage = (
  documents: readonly RawDocument[],
  name: string,
  { end }: { end?: string | RegExp } = {},
): Region => {
  const { body, url } = expectWholePage(expectPage(documentNamed(documents, name)), end)
  const root = parseHtml(body, name)
  dropCopies(root, name)
  const index = new PageIndex(root, url)
  notePage({ name, root, use: index.use })
  noteDecoding(body, name)
  return new Region(index, root, name)
}

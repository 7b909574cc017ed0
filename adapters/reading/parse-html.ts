import type { Document } from 'domhandler'
import { parse } from 'parse5'
import { adapter } from 'parse5-htmlparser2-tree-adapter'
import { PAGE_BOUNDS } from '../../core/bounds'
import { ScrapeError } from '../scrape-error'

/*
 * parse5 reads HTML as browsers do, including tag soup, and runs no scripts. Measured on 2026-11-21 with one page of 1 MB in its own
 * process: 0.22 s and 117 MB, where happy-dom took 0.89 s and 730 MB and gave up on nested tables.
 */

/** @throws ScrapeError `too_large` when the page is too large or too deeply nested */
export const parseHtml = (html: string, name: string): Document => {
  const refuse = (what: string): never => {
    throw new ScrapeError('too_large', `the ${name} page has ${what}: it was not read`)
  }
  if (html.length > PAGE_BOUNDS.htmlCharacters)
    refuse(`${html.length} characters, more than ${PAGE_BOUNDS.htmlCharacters}`)
  let elements = 0
  let depth = 0
  return parse(html, {
    scriptingEnabled: false,
    treeAdapter: {
      ...adapter,
      createElement: (...element) => {
        if (++elements > PAGE_BOUNDS.elements) refuse(`more than ${PAGE_BOUNDS.elements} elements`)
        return adapter.createElement(...element)
      },
      onItemPush: () => {
        if (++depth > PAGE_BOUNDS.htmlDepth) refuse(`elements nested more than ${PAGE_BOUNDS.htmlDepth} deep`)
      },
      onItemPop: () => {
        depth--
      },
    },
  })
}

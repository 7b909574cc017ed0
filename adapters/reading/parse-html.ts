import type { Document } from 'domhandler'
import { parse } from 'parse5'
import { adapter } from 'parse5-htmlparser2-tree-adapter'
import { ScrapeError } from '../scrape-error'

/*
 * parse5 reads what browsers read, tag soup included, runs nothing, and keeps no window. Measured on 2026-11-21, one page of
 * 1 MB in a process of its own: 0.22 s and 117 MB, where happy-dom took 0.89 s and 730 MB and gave up on nested tables.
 */

/** The largest page that was seen is below 1 MB; four times as much is another thing than a page of one parcel. */
const MAX_CHARACTERS = 4_000_000
/** Browsers stop at 512. It also bounds what misnested formatting can multiply. */
const MAX_DEPTH = 250
/** A page of 1 MB has as many when it spends 20 characters on each: hardly more than tags. */
const MAX_ELEMENTS = 50_000

/** @throws ScrapeError `page_changed` when the page is too large, or nested too deeply, to be what was asked for */
export const parseHtml = (html: string, name: string): Document => {
  const refuse = (what: string): never => {
    throw new ScrapeError('page_changed', `the ${name} page has ${what}: it is not read`)
  }
  if (html.length > MAX_CHARACTERS) refuse(`${html.length} characters, more than ${MAX_CHARACTERS}`)
  let elements = 0
  let depth = 0
  return parse(html, {
    scriptingEnabled: false,
    treeAdapter: {
      ...adapter,
      createElement: (...element) => {
        if (++elements > MAX_ELEMENTS) refuse(`more than ${MAX_ELEMENTS} elements`)
        return adapter.createElement(...element)
      },
      onItemPush: () => {
        if (++depth > MAX_DEPTH) refuse(`elements nested more than ${MAX_DEPTH} deep`)
      },
      onItemPop: () => {
        depth--
      },
    },
  })
}

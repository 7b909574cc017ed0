import type { RawDocument } from '../../adapter'
import { ScrapeError } from '../../scrape-error'

const END = /<\/html\s*>/gi
/** Allowed after the end tag: comments and scripts that a server or a proxy adds. */
const UNREAD = /<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi
/** A page within a page has its own end tag. Content after the last one means that the outer page was cut off. */
const CONTENT = /<(?:table|t[rdh]|d[ltd]|div|section)\b/i

/**
 * Returns the document if it arrived whole. A cut-off page would silently lose sales, or half of a number.
 *
 * @param end what the vendor prints last, for pages that do not end with `</html>`
 * @throws ScrapeError `page_changed` when the end is missing
 */
export const expectWholePage = (document: RawDocument, end?: string | RegExp): RawDocument => {
  if (end === undefined ? hasEndTag(document.body) : has(document.body, end)) return document
  const mark = end === undefined ? '</html>' : String(end)
  throw new ScrapeError('page_changed', `the ${document.name} page has no end: no "${mark}"`)
}

const has = (body: string, end: string | RegExp): boolean =>
  typeof end === 'string' ? body.toLowerCase().includes(end.toLowerCase()) : end.test(body)

const hasEndTag = (body: string): boolean => {
  const read = body.replace(UNREAD, '')
  const last = [...read.matchAll(END)].at(-1)
  return last !== undefined && !CONTENT.test(read.slice(last.index))
}

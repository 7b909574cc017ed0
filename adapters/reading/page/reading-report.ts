import type { Document } from 'domhandler'
import { listLabels, type PageLabel } from '../labels'
import type { PageUse } from './page-use'
import { listUnread } from './unread'

/** A scrape's report about its pages, in addition to the record. */
export interface ReadingReport {
  /** Labels and table headings that no field was read from, without their values. */
  unread: string[]
  warnings: string[]
  /** Labels and headings with their values; only if the target requests them. */
  labels?: PageLabel[]
}

/** What the pages say about lists: see `PageUse`. */
export interface ReadLists {
  nones: number
  hasUnknown: boolean
  incompleteAround: (entry: unknown) => string | undefined
}

const MAX_UNREAD = 100
const MAX_LABELS = 300

interface ReadPage {
  name: string
  root: Document
  use: PageUse
}

interface Reading {
  pages: ReadPage[]
  warnings: Set<string>
}

/** The reading in progress. Parsing is synchronous, so there is at most one. */
let current: Reading | null = null

/**
 * Runs `read` and reports on the pages that it read, and on what these say about lists (`PageUse`): how many places say that there are
 * none, whether rows have lost their values, and which lists are incomplete. `isValue` tells which texts are values of the record, which
 * are never listed.
 */
export const watchReading = <Result>(
  read: () => Result,
  isValue: (text: string, result: Result) => boolean,
  { listsLabels = false }: { listsLabels?: boolean } = {},
): { result: Result; report: ReadingReport; pages: number; lists: ReadLists } => {
  const before = current
  const reading: Reading = { pages: [], warnings: new Set() }
  current = reading
  try {
    const result = read()
    const unread = unreadOf(reading.pages).filter((label) => !isValue(label, result))
    return {
      result,
      report: {
        unread: unread.slice(0, MAX_UNREAD),
        warnings: [...reading.warnings],
        ...(listsLabels ? { labels: labelsOf(reading.pages).slice(0, MAX_LABELS) } : {}),
      },
      pages: reading.pages.length,
      lists: {
        nones: reading.pages.reduce((sum, { use }) => sum + use.nones, 0),
        hasUnknown: reading.pages.some(({ use }) => use.hasUnknown),
        incompleteAround: (entry) => reading.pages.map(({ use }) => use.incompleteAround(entry)).find(Boolean),
      },
    }
  } finally {
    current = before
  }
}

/** An adapter may parse a page several times. A label is unread if none of these readings read it. */
const unreadOf = (pages: readonly ReadPage[]): string[] => {
  const unread = [...Map.groupBy(pages, ({ name }) => name).values()].flatMap((readings) => {
    const [labels = [], ...others] = readings.map(({ root, use }) => listUnread(root, use))
    return labels.filter((label) => others.every((other) => other.includes(label)))
  })
  return [...new Set(unread)]
}

/** If an adapter parsed a page several times, a value was read if one of these readings read it. */
const labelsOf = (pages: readonly ReadPage[]): PageLabel[] => {
  const labels = new Map<string, PageLabel>()
  for (const { name, root, use } of pages) {
    for (const one of listLabels(root, use)) {
      const key = JSON.stringify([name, one.label, one.value])
      labels.set(key, { ...one, isRead: one.isRead || labels.get(key)?.isRead === true })
    }
  }
  return [...labels.values()]
}

export const notePage = (page: ReadPage): void => {
  current?.pages.push(page)
}

/** Adds a warning about a value that is on a page but was left out. The warning must not contain the value. */
export const noteWarning = (warning: string): void => {
  current?.warnings.add(warning)
}

/** An entry of a list was made from these parts. If a part is from an incomplete list (`PageUse.noteIncomplete`), so is the entry. */
export const noteCombined = (entry: unknown, parts: readonly unknown[]): void => {
  for (const { use } of current?.pages ?? []) {
    const place = parts.map((part) => use.incompleteAround(part)).find((found) => found !== undefined)
    if (place !== undefined) use.noteIncomplete([entry], place)
  }
}

/**
 * UTF-8 that was read as iso-8859-1 or windows-1252: `PEÃ‘A` for `PEÑA`, `Oâ€™NEIL` for `O’NEIL`. The second bytes of accented capitals are
 * quotation marks, dashes and other signs in windows-1252.
 */
const MOJIBAKE =
  /\u00c3[\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]|\u00c2[\u00a0-\u00bf]|\u00e2(?:\u20ac|\u0080)/

export const noteDecoding = (body: string, name: string): void => {
  if (current === null) return
  if (body.includes('\ufffd')) current.warnings.add(`the ${name} page has characters that were not decoded`)
  if (MOJIBAKE.test(body)) current.warnings.add(`the ${name} page was read in the wrong charset`)
}

import type { Document, Element } from 'domhandler'
import type { PageUse } from './page/page-use'
import { isLabel, looksLikeLabel, type SeenTable, walkLabels } from './page/walk-labels'
import { ShortTexts, textOf } from './text'

/** A label or table heading of a page with the text beside or below it, for people who compare a scrape with the page. */
export interface PageLabel {
  label: string
  value: string
  /** Whether the adapter read the value. */
  isRead: boolean
}

const MAX_VALUE = 200
/** Maximum rows of a table that are listed. */
const MAX_ROWS = 3

/** The labels and headings of a page with their values, in page order. */
export const listLabels = (root: Document, use: PageUse): PageLabel[] => {
  const texts = new ShortTexts()
  const labels = new Map<string, PageLabel>()
  const note = (label: Element, value: Element | undefined): void => {
    const name = texts.of(label)
    if (value === undefined || name === null || !looksLikeLabel(name) || isLabel(value, texts)) return
    const text = textOf(value).slice(0, MAX_VALUE)
    if (text !== '') labels.set(`${name}\n${text}`, { label: name, value: text, isRead: use.isRead(value) })
  }

  const onTable = ({ rows, headings, below }: SeenTable): void => {
    if (headings !== null) {
      for (const cells of below.slice(0, MAX_ROWS)) {
        for (const [column, heading] of headings.entries()) note(heading, cells[column])
      }
      return
    }
    for (const cells of rows) {
      for (const [column, label] of cells.entries()) {
        const isPaired = cells.length % 2 === 0 && column % 2 === 0
        if (isPaired || isLabel(label, texts)) note(label, cells[column + 1])
      }
    }
  }

  walkLabels(root, texts, { onLabel: note, onTable })
  return [...labels.values()]
}

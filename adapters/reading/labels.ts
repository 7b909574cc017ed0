import { type AnyNode, type Document, type Element, isTag } from 'domhandler'
import { nextSeen } from './elements'
import type { PageUse } from './page/page-use'
import { isLabel, looksLikeLabel } from './page/unread'
import { cellsOf, isCell, rowsOf } from './tables/table'
import { isUnseen, ShortTexts, textOf } from './text'

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

  const visit = (node: AnyNode): void => {
    if (!('children' in node) || (isTag(node) && isUnseen(node))) return
    if (isTag(node)) {
      if (node.name === 'table') visitTable(node)
      else if (!isCell(node) && isLabel(node, texts)) note(node, nextSeen(node))
    }
    for (const child of node.children) visit(child)
  }

  const visitTable = (table: Element): void => {
    const rows = rowsOf(table).map((row) => cellsOf(row).filter((cell) => !isUnseen(cell)))
    const head = rows.findIndex((cells) => cells.length > 1 && cells.every(({ name }) => name === 'th'))
    if (head !== -1 && head < rows.length - 1) {
      for (const cells of rows.slice(head + 1, head + 1 + MAX_ROWS)) {
        for (const [column, heading] of (rows[head] ?? []).entries()) note(heading, cells[column])
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

  visit(root)
  return [...labels.values()]
}

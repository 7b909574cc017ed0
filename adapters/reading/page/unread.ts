import { type AnyNode, type Document, type Element, isTag } from 'domhandler'
import { nextSeen } from '../elements'
import { cellsOf, isCell, rowsOf } from '../tables/table'
import { isUnseen, MAX_LABEL, ShortTexts, wordsOf } from '../text'
import type { PageUse } from './page-use'

/** The labels and table headings of a page that nothing was read from, in page order. */
export const listUnread = (root: Document, use: PageUse): string[] => {
  const texts = new ShortTexts()
  const unread = new Set<string>()
  const note = (label: Element): void => {
    const text = texts.of(label)
    if (text !== null && looksLikeLabel(text) && !use.hasLabel(wordsOf(text))) unread.add(cut(text))
  }
  const isUnreadValue = (value: Element | undefined): value is Element =>
    value !== undefined && texts.of(value) !== '' && !use.isRead(value)

  const visit = (node: AnyNode): void => {
    if (!('children' in node) || (isTag(node) && isUnseen(node))) return
    if (isTag(node)) {
      if (node.name === 'table') visitTable(node)
      else if (!isCell(node) && isLabel(node, texts)) {
        const value = nextSeen(node)
        if (isUnreadValue(value) && !isLabel(value, texts)) note(node)
      }
    }
    for (const child of node.children) visit(child)
  }

  const visitTable = (table: Element): void => {
    const rows = rowsOf(table).map((row) => cellsOf(row).filter((cell) => !isUnseen(cell)))
    const head = rows.findIndex((cells) => cells.length > 1 && cells.every(({ name }) => name === 'th'))
    if (head !== -1 && head < rows.length - 1) {
      for (const [column, heading] of (rows[head] ?? []).entries()) {
        const values = rows.slice(head + 1).flatMap((cells) => cells[column] ?? [])
        const isFilled = values.some((value) => texts.of(value) !== '')
        if (isFilled && values.every((value) => !use.isRead(value))) note(heading)
      }
      return
    }
    const hasKnownLabel = rows.some((cells) => cells.some((cell) => use.hasLabel(wordsOf(texts.of(cell) ?? ''))))
    for (const cells of rows) {
      for (const [column, label] of cells.entries()) {
        const value = cells[column + 1]
        // A plain cell counts as a label only in a table where labels were found. Elsewhere it may be a name.
        const isPaired = hasKnownLabel && cells.length % 2 === 0 && column % 2 === 0
        if (!isPaired && !isLabel(label, texts)) continue
        if (isUnreadValue(value) && !isLabel(value, texts) && !use.isRead(label)) note(label)
      }
    }
  }

  visit(root)
  return [...unread]
}

const LABEL_CLASS = /\b(?:label|heading|caption|title)\b/i

export const isLabel = (element: Element, texts: ShortTexts): boolean => {
  const text = texts.of(element)
  if (text === null || text === '') return false
  if (element.name === 'dt' || element.name === 'label') return true
  return text.endsWith(':') || (isCell(element) && LABEL_CLASS.test(element.attribs.class ?? ''))
}

/** Words, and no amounts, numbers or sentences. */
export const looksLikeLabel = (text: string): boolean =>
  text.length <= MAX_LABEL && /\p{L}{2}/u.test(text) && !/[$@]|\d{3}|[.!?]\s/.test(text) && text.split(' ').length <= 10

const MAX_CHARACTERS = 60

const cut = (text: string): string => text.slice(0, MAX_CHARACTERS)

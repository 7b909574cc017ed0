import { type AnyNode, type Document, type Element, isTag } from 'domhandler'
import { nextSeen } from '../elements'
import { cellsOf, isCell, rowsOf } from '../tables/table'
import { isUnseen, MAX_LABEL, type ShortTexts } from '../text'

/** The displayed cells of a table. */
export interface SeenTable {
  rows: Element[][]
  /** The first row of only headings, if there are rows below it. Null: the cells are labels and values side by side. */
  headings: Element[] | null
  /** The rows below the headings. */
  below: Element[][]
}

/** Walks through a page in its order. `onLabel` gets each label outside of cells, with the element after it; `onTable` each table. */
export const walkLabels = (
  root: Document,
  texts: ShortTexts,
  {
    onLabel,
    onTable,
  }: { onLabel: (label: Element, next: Element | undefined) => void; onTable: (table: SeenTable) => void },
): void => {
  const visit = (node: AnyNode): void => {
    if (!('children' in node) || (isTag(node) && isUnseen(node))) return
    if (isTag(node)) {
      if (node.name === 'table') onTable(readSeen(node))
      else if (!isCell(node) && isLabel(node, texts)) onLabel(node, nextSeen(node))
    }
    for (const child of node.children) visit(child)
  }
  visit(root)
}

const readSeen = (table: Element): SeenTable => {
  const rows = rowsOf(table).map((row) => cellsOf(row).filter((cell) => !isUnseen(cell)))
  const head = rows.findIndex((cells) => cells.length > 1 && cells.every(({ name }) => name === 'th'))
  const below = head === -1 ? [] : rows.slice(head + 1)
  return { rows, headings: below.length === 0 ? null : (rows[head] ?? null), below }
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

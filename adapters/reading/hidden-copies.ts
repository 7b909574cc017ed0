import { type AnyNode, type Document, type Element, isTag, isText } from 'domhandler'
import { ScrapeError } from '../scrape-error'
import { cellsOf, rowsOf } from './table'
import { isHiddenByItself, piecesOf, textOf, wordsOf } from './text'

/**
 * Takes out hidden copies of tables: those right before or after a shown table, with the same labels and the same values. Other hidden
 * tables are collapsed sections, and their content is data.
 *
 * @throws ScrapeError `page_changed` when such a table has other values: it may be old, or the other half of a list
 */
export const dropHiddenCopies = (root: Document, name: string): void => {
  for (const hidden of hiddenIn(root)) {
    const copies = tablesIn(hidden)
    const neighbors = [beside(hidden, 'prev'), beside(hidden, 'next')].flatMap((node) => (node ? tablesIn(node) : []))
    const shown = neighbors.filter((table) => !isInHidden(table))
    if (copies.length === 0 || !copies.every((copy) => shown.some((table) => areAlike(copy, table)))) continue
    const values = new Set(shown.flatMap(textsOf))
    if (!copies.flatMap(textsOf).every((text) => values.has(text))) {
      throw new ScrapeError('page_changed', `a hidden table beside a similar one has other values, on the ${name} page`)
    }
    detach(hidden)
  }
}

/** The outermost hidden elements. */
const hiddenIn = (node: AnyNode): Element[] => {
  if (!('children' in node)) return []
  return isTag(node) && isHiddenByItself(node) ? [node] : node.children.flatMap(hiddenIn)
}

/** The tables that have no tables in them. */
const tablesIn = (node: AnyNode): Element[] => {
  if (!('children' in node)) return []
  const inside = node.children.flatMap(tablesIn)
  return inside.length === 0 && isTag(node) && node.name === 'table' ? [node] : inside
}

const isInHidden = (element: Element): boolean => {
  for (let around: AnyNode | null = element; around !== null; around = around.parent)
    if (isTag(around) && isHiddenByItself(around)) return true
  return false
}

/** The neighboring element, if no text is between. */
const beside = (element: Element, side: 'prev' | 'next'): Element | undefined => {
  for (let node = element[side]; node !== null; node = node[side]) {
    if (isTag(node)) return node
    if (isText(node) && node.data.trim() !== '') return undefined
  }
  return undefined
}

/** The same headings, the same labels of rows, or as many cells in every row. */
const areAlike = (one: Element, other: Element): boolean => {
  const [cells, others] = [wordsIn(one), wordsIn(other)]
  const isSame = (part: (rows: string[][]) => unknown) => {
    const shown = JSON.stringify(part(cells))
    return shown === JSON.stringify(part(others)) && /\p{L}|\d/u.test(shown)
  }
  return (
    isSame(([headings]) => headings) ||
    isSame((rows) => rows.map(([side]) => side)) ||
    isSame((rows) => rows.map(({ length }) => length))
  )
}

const wordsIn = (table: Element): string[][] =>
  rowsOf(table).map((row) => cellsOf(row).map((cell) => wordsOf(textOf(cell))))

const textsOf = (table: Element): string[] => piecesOf(table).filter((piece) => piece !== '')

const detach = (node: Element): void => {
  node.parent?.children.splice(node.parent.children.indexOf(node), 1)
  if (node.prev !== null) node.prev.next = node.next
  if (node.next !== null) node.next.prev = node.prev
}

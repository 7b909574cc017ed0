import { type AnyNode, type Document, type Element, isTag, isText } from 'domhandler'
import { ScrapeError } from '../../scrape-error'
import { noteWarning } from '../page/reading-report'
import { isHiddenByItself, piecesOf, textOf, wordsOf } from '../text'
import { cellsOf, rowsOf } from './table'

/**
 * Removes copies of tables: those right before or after a table with the same text, and hidden ones next to a table with the same
 * labels and values. Style sheets may hide either copy. Other hidden tables are collapsed sections, and their content is data.
 *
 * @throws ScrapeError `page_changed` when a hidden table beside one with the same labels has other values: it may be old, or the other half of a list
 */
export const dropCopies = (root: Document, name: string): void => {
  dropHiddenCopies(root, name)
  for (const copy of repeatedIn(root)) {
    noteWarning(`a table is twice on the ${name} page, and was read once`)
    detach(copy)
  }
}

const dropHiddenCopies = (root: Document, name: string): void => {
  for (const hidden of hiddenIn(root)) {
    const copies = tablesIn(hidden)
    const neighbors = [beside(hidden, 'prev'), beside(hidden, 'next')].flatMap((node) => (node ? tablesIn(node) : []))
    const shown = neighbors.filter((table) => !isInHidden(table))
    const shapes = new Set(shown.flatMap(shapesOf))
    if (copies.length === 0 || !copies.every((copy) => shapesOf(copy).some((shape) => shapes.has(shape)))) continue
    const values = new Set(shown.flatMap(textsOf))
    if (!copies.flatMap(textsOf).every((text) => values.has(text))) {
      throw new ScrapeError('page_changed', `a hidden table beside a similar one has other values, on the ${name} page`)
    }
    detach(hidden)
  }
}

/** Elements with tables that have the same text as the element right before. */
const repeatedIn = (root: Document): Element[] => {
  const repeated: Element[] = []
  /** The size of each element's content, so that texts are compared only if they may be equal. */
  const sizes = new Map<AnyNode, { tables: number; characters: number }>()
  const visit = (node: AnyNode): { tables: number; characters: number } => {
    if (isText(node)) return { tables: 0, characters: node.data.length }
    if (!('children' in node)) return { tables: 0, characters: 0 }
    const size = { tables: isTag(node) && node.name === 'table' ? 1 : 0, characters: 0 }
    for (const child of node.children) {
      const inside = visit(child)
      size.tables += inside.tables
      size.characters += inside.characters
    }
    sizes.set(node, size)
    if (!isTag(node) || size.tables === 0 || !BLOCKS.has(node.name)) return size
    const before = beside(node, 'prev')
    const other = before && sizes.get(before)
    if (before?.name === node.name && other?.tables === size.tables && other.characters === size.characters) {
      if (!haveOtherIds(node, before) && areSame(textsOf(node), textsOf(before))) repeated.push(node)
    }
    return size
  }
  visit(root)
  return repeated
}

const areSame = (texts: readonly string[], others: readonly string[]): boolean =>
  texts.length === others.length &&
  texts.some((text) => /\d/.test(text)) &&
  texts.every((text, index) => text === others[index])

/** Tables with different ids have different meanings, even with the same text: appraised and assessed values. */
const haveOtherIds = (one: Element, other: Element): boolean => {
  const [ids, others] = [idsIn(one), idsIn(other)]
  return ids.length > 0 && others.length > 0 && ids.join() !== others.join()
}

const idsIn = (node: AnyNode): string[] =>
  'children' in node
    ? [...(isTag(node) && node.attribs.id !== undefined ? [node.attribs.id] : []), ...node.children.flatMap(idsIn)]
    : []

const BLOCKS = new Set(['table', 'div', 'section'])

/** The outermost hidden elements. */
const hiddenIn = (node: AnyNode): Element[] => {
  if (!('children' in node)) return []
  return isTag(node) && isHiddenByItself(node) ? [node] : node.children.flatMap(hiddenIn)
}

/** The innermost tables. */
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

/** The neighboring element, if there is no text in between. */
const beside = (element: Element, side: 'prev' | 'next'): Element | undefined => {
  for (let node = element[side]; node !== null; node = node[side]) {
    if (isTag(node)) return node
    if (isText(node) && node.data.trim() !== '') return undefined
  }
  return undefined
}

/** Similar tables have one of these in common: the headings, the labels of rows, or the number of cells in every row. */
const shapesOf = (table: Element): string[] => {
  const rows = rowsOf(table).map((row) => cellsOf(row).map((cell) => wordsOf(textOf(cell))))
  const shapes = { headings: rows[0], labels: rows.map(([label]) => label), cells: rows.map(({ length }) => length) }
  return Object.entries(shapes).flatMap(([kind, words]) => {
    const shape = JSON.stringify(words)
    return /[\p{L}\d]/u.test(shape) ? `${kind} ${shape}` : []
  })
}

const textsOf = (table: Element): string[] => piecesOf(table).filter((piece) => piece !== '')

const detach = (node: Element): void => {
  node.parent?.children.splice(node.parent.children.indexOf(node), 1)
  if (node.prev !== null) node.prev.next = node.next
  if (node.next !== null) node.next.prev = node.prev
}

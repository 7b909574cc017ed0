import { type AnyNode, type ChildNode, type Element, isTag, isText, Text } from 'domhandler'
import { adapter as treeAdapter } from 'parse5-htmlparser2-tree-adapter'
import { cellsOf, isCell, rowsOf } from '../../../adapters/reading/tables/table'
import { isUnseen, textOf } from '../../../adapters/reading/text'

/** A number from 0 up to but not including `below`. */
export type Pick = (below: number) => number

/** What a change can see: the elements of the page, in order, and which texts are values of the record read from it. */
export interface Place {
  elements: Element[]
  pick: Pick
  isValue: (text: string) => boolean
  /** Whether some value is a part of the text. */
  hasValue: (text: string) => boolean
  /** To be called with a text that the page loses. */
  lose: (text: string) => void
}

/** Changes one place of a page. False: the page has no such place. */
export type Change = (place: Place) => boolean

export const elementsOf = (node: AnyNode): Element[] =>
  'children' in node ? [...(isTag(node) ? [node] : []), ...node.children.flatMap(elementsOf)] : []

export const textsIn = (node: AnyNode): Text[] =>
  isText(node) ? [node] : 'children' in node ? node.children.flatMap(textsIn) : []

export const pickOne = <One>(list: readonly One[], pick: Pick): One | null =>
  list.length === 0 ? null : (list[pick(list.length)] as One)

export const remove = (node: ChildNode): void => treeAdapter.detachNode(node)

export const move = (node: ChildNode, parent: Element): void => {
  remove(node)
  treeAdapter.appendChild(parent, node)
}

export const insertBefore = (node: ChildNode, place: ChildNode): void => {
  remove(node)
  treeAdapter.insertBefore(place.parent as Element, node, place)
}

export const insertAfter = (node: ChildNode, place: ChildNode): void => {
  remove(node)
  if (place.next === null) treeAdapter.appendChild(place.parent as Element, node)
  else treeAdapter.insertBefore(place.parent as Element, node, place.next)
}

export const replace = (node: ChildNode, by: ChildNode): void => {
  insertBefore(by, node)
  remove(node)
}

/** Puts all content of an element into `inner`, its new only child. */
export const wrapContent = (element: Element, inner: Element): void => {
  for (const node of [...element.children]) move(node, inner)
  move(inner, element)
}

export const setText = (element: Element, text: string): void => {
  for (const node of [...element.children]) remove(node)
  if (text !== '') move(new Text(text), element)
}

/** The texts that a visitor of the page sees. */
export const seenTexts = (elements: readonly Element[]): Text[] =>
  elements
    .flatMap(({ children }) => children.filter(isText))
    .filter((text) => text.data.trim() !== '' && aroundOf(text).every((around) => !isUnseen(around)))

export const aroundOf = (node: AnyNode): Element[] => {
  const around: Element[] = []
  for (let parent = node.parent; parent !== null; parent = parent.parent) if (isTag(parent)) around.push(parent)
  return around
}

export const tablesIn = (elements: readonly Element[]): Element[] =>
  elements.filter((element) => element.name === 'table' && rowsOf(element).length > 0)

export const widthOf = (table: Element): number => Math.max(0, ...rowsOf(table).map((row) => cellsOf(row).length))

/** A grid of at least `columns` columns. Rows of one cell are titles. */
export const isGrid = (table: Element, columns: number): boolean => {
  const width = widthOf(table)
  return (
    width >= columns &&
    rowsOf(table).every((row) => {
      const cells = cellsOf(row)
      return (
        cells.length < 2 ||
        (cells.length === width && !cells.some(({ attribs }) => 'rowspan' in attribs || 'colspan' in attribs))
      )
    })
  )
}

/** The rows of a grid whose first row of several cells has its headings. Null: it has rows of pairs, or no rows. */
export const headedRows = (
  table: Element,
  isValue: (text: string) => boolean,
): { head: Element; rows: Element[] } | null => {
  if (table.name !== 'table' || !isGrid(table, 2)) return null
  const [head, ...rows] = rowsOf(table).filter((row) => cellsOf(row).length > 1)
  if (head === undefined || rows.length === 0) return null
  const headings = cellsOf(head)
  if (headings.every(({ name }) => name === 'th')) return { head, rows }
  const hasNumbers = (cell: Element | undefined) => cell !== undefined && /\d/.test(textOf(cell))
  const isHead =
    headings.every((cell, column) => column === 0 || textOf(cell) !== '') &&
    !headings.some((cell) => hasNumbers(cell) || isValue(textOf(cell))) &&
    headings.some((_, column) => column > 0 && rows.every((row) => hasNumbers(cellsOf(row)[column])))
  return isHead ? { head, rows } : null
}

/** The first cell of a pair, in a row of pairs. */
export const isLabelCell = (element: Element): boolean => {
  const row = element.parent
  if (!isCell(element) || row === null || !isTag(row)) return false
  const cells = cellsOf(row)
  return cells.length % 2 === 0 && cells.indexOf(element) % 2 === 0
}

/** Words that label a value and are not values themselves. */
export const isLabel = ({ hasValue, isValue }: Place, element: Element): boolean => {
  if (!(element.name === 'th' || element.name === 'dt' || element.name === 'label' || isLabelCell(element)))
    return false
  const text = textOf(element)
  return /\p{L}{2}/u.test(text) && !/\d/.test(text) && !hasValue(text) && !isValue(text)
}

export const nextCell = (cell: Element): Element | null => {
  for (let next = cell.next; next !== null; next = next.next) if (isTag(next)) return isCell(next) ? next : null
  return null
}

/** The same text with other numbers and names. Years stay the same. */
export const otherText = (text: string, isValue: (text: string) => boolean): string =>
  /\d/.test(text)
    ? text.replace(/\d[\d,]*/g, (number) =>
        /^(?:19|20)\d\d$/.test(number) ? number : number.replace(/[1-9]/g, (digit) => String((Number(digit) % 9) + 1)),
      )
    : isValue(text)
      ? `OLD ${text}`
      : text

export const changeTexts = (node: AnyNode, isValue: (text: string) => boolean): void => {
  for (const text of textsIn(node)) text.data = otherText(text.data, isValue)
}

import { type AnyNode, type ChildNode, Element, isTag, isText, Text } from 'domhandler'
import { serialize } from 'parse5'
import { adapter as treeAdapter } from 'parse5-htmlparser2-tree-adapter'
import type { RawDocument } from '../../../adapters/adapter'
import { parseHtml } from '../../../adapters/reading/parse-html'
import { cellsOf, isCell, rowsOf } from '../../../adapters/reading/table'

/** A number from 0 up to but not including `below`. */
export type Pick = (below: number) => number

/** Changes one place of a page. Null: the page has no such place. */
type Mutate = (body: string, pick: Pick) => string | null

/** Changes that a portal may make to the structure of a page, and that leave all values on it. */
export const MUTATIONS = {
  'a label and its value in one cell': inTree((elements, pick) => {
    const label = pickOne(elements.filter(isLabelCell), pick)
    if (label === null) return false
    const value = nextCell(label) as Element
    move(new Text(' '), label)
    for (const node of [...value.children]) move(node, label)
    remove(value)
    return true
  }),
  'line breaks as newlines that part lines': inTree((elements, pick) => {
    const lines = pickOne(
      elements.filter(({ children }) => children.some((child) => isTag(child) && child.name === 'br')),
      pick,
    )
    if (lines === null) return false
    for (const text of textsIn(lines)) text.data = text.data.replaceAll('\n', ' ')
    for (const child of [...lines.children]) if (isTag(child) && child.name === 'br') replace(child, new Text('\n'))
    lines.attribs.style = 'white-space: pre-line'
    return true
  }),
  'a blank as a newline': inTree((elements, pick) => {
    const text = pickOne(elements.flatMap(({ children }) => children.filter(isText)).filter(isSentence), pick)
    if (text === null) return false
    text.data = text.data.replace(/(?<=\S) (?=\S)/, '\n')
    return true
  }),
  'tables as description lists': inTree((elements) => {
    const tables = elements.filter((element) => element.name === 'table' && rowsOf(element).length > 0)
    for (const table of tables) {
      const list = new Element('dl', { ...table.attribs })
      for (const row of rowsOf(table)) {
        for (const [column, cell] of cellsOf(row).entries()) {
          const part = new Element(column % 2 === 0 ? 'dt' : 'dd', { ...cell.attribs })
          for (const node of [...cell.children]) move(node, part)
          move(part, list)
        }
      }
      replace(table, list)
    }
    return tables.length > 0
  }),
  'description lists as tables': inTree((elements) => {
    const lists = elements.filter(({ name }) => name === 'dl')
    for (const list of lists) {
      const table = new Element('table', { ...list.attribs })
      let row: Element | null = null
      for (const part of list.children.filter(isTag)) {
        if (part.name === 'dt' || row === null) {
          row = new Element('tr', {})
          move(row, table)
        }
        const cell = new Element('td', { ...part.attribs })
        for (const node of [...part.children]) move(node, cell)
        move(cell, row)
      }
      replace(list, table)
    }
    return lists.length > 0
  }),
  'two columns exchanged': inTree((elements, pick) => {
    const table = pickOne(elements.filter(isColumnar), pick)
    if (table === null) return false
    const rows = rowsOf(table).map(cellsOf)
    const width = widthOf(table)
    // The labels of rows stay first.
    const one = 1 + pick(width - 2)
    for (const cells of rows) {
      const [left, right] = [cells[one], cells[one + 1]]
      if (cells.length !== width || left === undefined || right === undefined) continue
      remove(right)
      insertBefore(right, left)
    }
    return true
  }),
  'hidden text in a value': inTree((elements, pick) => {
    const element = pickOne(
      elements.filter(({ name }) => ['td', 'th', 'dd', 'span', 'b', 'a'].includes(name)),
      pick,
    )
    if (element === null) return false
    const hidden = new Element('span', HIDINGS[pick(HIDINGS.length)] as Record<string, string>)
    move(new Text(' 77777 hidden 2031 '), hidden)
    move(hidden, element)
    return true
  }),
  'a hidden element before a value': inTree((elements, pick) => {
    const element = pickOne(
      elements.filter(({ name }) => ['td', 'dd', 'span', 'b'].includes(name)),
      pick,
    )
    if (element === null) return false
    const isInRow = isCell(element)
    const choices = isInRow ? ['script', 'template'] : ['script', 'style', 'template', 'span']
    const name = choices[pick(choices.length)] as string
    const hidden = new Element(name, name === 'span' ? { hidden: '' } : {})
    move(new Text('var hidden = 77777'), hidden)
    insertBefore(hidden, element)
    return true
  }),
  'entities escaped twice': (body, pick) => {
    const entities = [...body.matchAll(/&(?:amp|nbsp|#\d+|quot|lt|gt);/g)]
    const entity = entities[pick(entities.length)]
    if (entity === undefined) return null
    return `${body.slice(0, entity.index)}&amp;${body.slice(entity.index + 1)}`
  },
  'cut off': (body, pick) => body.slice(0, pick(body.length)),
} satisfies Record<string, Mutate>

export type Mutation = keyof typeof MUTATIONS

const HIDINGS: readonly Record<string, string>[] = [
  { hidden: '' },
  { style: 'display:none' },
  { style: 'visibility: hidden' },
  { 'aria-hidden': 'true' },
  { class: 'sr-only' },
  { class: 'visually-hidden' },
]

/** The documents with one change to one of them. JSON can only be cut off. Null: there is no place for the change. */
export const mutate = (documents: readonly RawDocument[], mutation: Mutation, pick: Pick): RawDocument[] | null => {
  const index = pick(documents.length)
  const document = documents[index]
  if (document === undefined) return null
  const isJson = document.headers['content-type']?.includes('json') === true
  if (isJson && mutation !== 'cut off') return null
  const body = MUTATIONS[mutation](document.body, pick)
  return body === null ? null : documents.with(index, { ...document, body })
}

function inTree(change: (elements: Element[], pick: Pick) => boolean): Mutate {
  return (body, pick) => {
    const root = parseHtml(body, 'mutated')
    return change(elementsOf(root), pick) ? serialize(root, { treeAdapter }) : null
  }
}

const widthOf = (table: Element): number => Math.max(...rowsOf(table).map((row) => cellsOf(row).length))

/** A grid of at least three columns. Rows of one cell are titles. */
const isColumnar = (element: Element): boolean => {
  if (element.name !== 'table') return false
  const width = widthOf(element)
  return (
    width > 2 &&
    rowsOf(element).every((row) => {
      const cells = cellsOf(row)
      return (
        cells.length < 2 ||
        (cells.length === width && !cells.some(({ attribs }) => 'rowspan' in attribs || 'colspan' in attribs))
      )
    })
  )
}

const textsIn = (node: AnyNode): Text[] =>
  isText(node) ? [node] : 'children' in node ? node.children.flatMap(textsIn) : []

/** Of several words, where a newline is a blank. */
const isSentence = (text: Text): boolean => {
  if (!/\S \S/.test(text.data)) return false
  for (let around: AnyNode | null = text; around !== null; around = around.parent) {
    if (isTag(around) && (around.name === 'pre' || /pre-(?:line|wrap)/.test(JSON.stringify(around.attribs))))
      return false
  }
  return true
}

/** The first cell of a pair, in a row of pairs. */
const isLabelCell = (element: Element): boolean => {
  const row = element.parent
  if (!isCell(element) || row === null || !isTag(row)) return false
  const cells = cellsOf(row)
  return cells.length % 2 === 0 && cells.indexOf(element) % 2 === 0
}

const elementsOf = (node: AnyNode): Element[] =>
  'children' in node ? [...(isTag(node) ? [node] : []), ...node.children.flatMap(elementsOf)] : []

const pickOne = <One>(list: readonly One[], pick: Pick): One | null =>
  list.length === 0 ? null : (list[pick(list.length)] as One)

const nextCell = (cell: Element): Element | null => {
  for (let next = cell.next; next !== null; next = next.next) if (isTag(next)) return isCell(next) ? next : null
  return null
}

const remove = (node: ChildNode): void => treeAdapter.detachNode(node)
const move = (node: ChildNode, parent: Element): void => {
  remove(node)
  treeAdapter.appendChild(parent, node)
}
const insertBefore = (node: ChildNode, place: ChildNode): void =>
  treeAdapter.insertBefore(place.parent as Element, node, place)
const replace = (node: ChildNode, by: ChildNode): true => {
  insertBefore(by, node)
  remove(node)
  return true
}

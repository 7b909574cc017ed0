import { type AnyNode, Element, isTag } from 'domhandler'
import { ScrapeError } from '../scrape-error'
import { nextSeen, seenChildren } from './elements'
import type { PageIndex } from './page/page-index'
import { cellsOf, isCell } from './tables/table'
import { linesOf, textOf } from './text'

/*
 * Where the value of a label is: in the next cell or entry, in those below that continue it, or after the label in its own cell. `under`
 * names the region, for messages.
 */

/** Elements that only format text. */
const INLINE = new Set('a abbr b big em font i label nobr small span strong u'.split(' '))

/** Climbs from formatting elements to the cell that the label fills, or to the outermost element that holds only the label. */
export const climbOut = (label: Element, page: PageIndex): Element => {
  let element = label
  const words = textOf(label)
  while (!isCell(element) && INLINE.has(element.name)) {
    const { parent } = element
    if (parent === null || !isTag(parent) || !page.hasWords(parent, words)) break
    if (!isCell(parent) && !INLINE.has(parent.name) && nextSeen(element) !== undefined) break
    element = parent
  }
  return element
}

/** The cells after a label in its row. Undefined: the label is in no row. */
export const cellsAfter = (label: Element): Element[] | undefined => {
  const row = label.parent
  if (!isCell(label) || !row || !isTag(row)) return undefined
  const cells = cellsOf(row)
  return cells.slice(cells.indexOf(label) + 1)
}

/** The table or list of a label, and its column. Undefined: the label is in neither. */
export const placeOf = (label: Element): { list: Element; column: number } | undefined => {
  const row = label.parent
  if (!row || !isTag(row)) return undefined
  if (label.name === 'dt') return { list: row, column: 0 }
  const part = row.parent
  const list = part && isTag(part) && part.name !== 'table' ? part.parent : part
  return isCell(label) && list && isTag(list) ? { list, column: cellsOf(row).indexOf(label) } : undefined
}

/** Whether the element contains only text and elements that format text. */
export const isPhrase = (element: Element): boolean =>
  element.children.every(
    (child) => !isTag(child) || ((INLINE.has(child.name) || child.name === 'br') && isPhrase(child)),
  )

/** The entries of a list that continue `value`. @throws ScrapeError `page_changed` when a later value has no label */
export const entriesAfter = (value: Element, under: string): Element[] => {
  const after: Element[] = []
  for (let next = nextSeen(value); next !== undefined; next = nextSeen(next)) after.push(next)
  const end = after.findIndex((entry) => entry.name !== 'dd' && textOf(entry) !== '')
  const others = end === -1 ? [] : after.slice(end)
  const nameless = others.find((entry, index) => entry.name === 'dt' && textOf(entry) === '' && others[index + 1])
  if (nameless !== undefined) throw new ScrapeError('page_changed', `a value without a label under "${under}"`)
  return end === -1 ? after : after.slice(0, end)
}

/** The cells below the value of `label` that continue it. @throws ScrapeError `page_changed` when they may continue another value */
export const cellsBelow = (label: Element, under: string): Element[] => {
  const { parent } = label
  if (parent === null || !isTag(parent)) return []
  const values: Element[] = []
  const place = seenChildren(parent).indexOf(label)
  let hasNotice = false
  for (let row = nextSeen(parent); row !== undefined && row.name === parent.name; row = nextSeen(row)) {
    const parts = seenChildren(row)
    const [side, value] = [parts[place], parts[place + 1]]
    const isNotice = parts.length === 1 && 'colspan' in (side?.attribs ?? {})
    // A label and its value share one cell, so the other cells have shifted.
    if (parts.length % 2 === 1 && !isNotice && textOf(row) !== '') {
      throw new ScrapeError('page_changed', `a row of ${parts.length} cells among pairs under "${under}"`)
    }
    hasNotice ||= isNotice
    if (isNotice) continue
    if (!side || !value || textOf(side) !== '') break
    if (hasNotice && textOf(value) !== '') {
      throw new ScrapeError('page_changed', `a value without a label below a notice under "${under}"`)
    }
    values.push(value)
  }
  return values
}

/** The lines after a label within its own cell or block, up to the next element formatted like the label. */
export const linesAfter = (label: Element): string[] => {
  const parts: AnyNode[] = []
  for (let next = label.next; next !== null && !isAlike(next, label); next = next.next) parts.push(next)
  const lines = parts.length === 0 ? [] : linesOf(wrap(parts))
  return lines.map((line, index) => (index === 0 ? line.replace(/^:\s*/, '') : line)).filter((line) => line !== '')
}

const isAlike = (node: AnyNode, label: Element): boolean =>
  node instanceof Element &&
  node.name === label.name &&
  node.attribs.class === label.attribs.class &&
  textOf(node) !== ''

/** Wraps sibling nodes to read them as one element in their place. */
const wrap = (nodes: AnyNode[]): Element => {
  const around = new Element('span', {})
  around.parent = nodes[0]?.parent ?? null
  around.children = nodes as Element['children']
  return around
}

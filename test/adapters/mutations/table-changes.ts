import { cloneNode, Element, isTag, isText } from 'domhandler'
import { cellsOf, isCell, rowsOf } from '../../../adapters/reading/tables/table'
import { textOf } from '../../../adapters/reading/text'
import {
  aroundOf,
  type Change,
  changeTexts,
  elementsOf,
  headedRows,
  insertAfter,
  insertBefore,
  isGrid,
  isLabel,
  isLabelCell,
  move,
  nextCell,
  otherText,
  type Place,
  pickOne,
  remove,
  replace,
  setText,
  tablesIn,
  widthOf,
  wrapContent,
} from './tree'

/** The page says that its amounts are 0. */
export const FILLER_ROW = 'a row of fillers in place of the rows'

/** Changes to cells, rows and tables. */
export const TABLE_CHANGES = {
  'tables as description lists': ({ elements }) => {
    const tables = tablesIn(elements)
    for (const table of tables) {
      const list = new Element('dl', { ...table.attribs })
      for (const row of rowsOf(table)) {
        for (const [column, cell] of cellsOf(row).entries()) move(renamed(cell, column % 2 === 0 ? 'dt' : 'dd'), list)
      }
      replace(table, list)
    }
    return tables.length > 0
  },
  'description lists as tables': ({ elements }) => {
    const lists = elements.filter(({ name }) => name === 'dl')
    for (const list of lists) {
      const table = new Element('table', { ...list.attribs })
      let row: Element | null = null
      for (const part of list.children.filter(isTag)) {
        if (part.name === 'dt' || row === null) {
          row = new Element('tr', {})
          move(row, table)
        }
        move(renamed(part, 'td'), row)
      }
      replace(list, table)
    }
    return lists.length > 0
  },
  'two columns exchanged': ({ elements, pick }) => {
    const table = pickOne(
      tablesIn(elements).filter((one) => isGrid(one, 3)),
      pick,
    )
    if (table === null) return false
    // The labels of rows stay first.
    exchangeColumns(table, 1 + pick(widthOf(table) - 2))
    return true
  },
  'any two columns below headings exchanged': ({ elements, pick, isValue }) => {
    const table = pickOne(
      tablesIn(elements).filter((one) => headedRows(one, isValue) !== null),
      pick,
    )
    if (table === null) return false
    exchangeColumns(table, pick(widthOf(table) - 1))
    return true
  },
  'a column more': ({ elements, pick, isValue }) => {
    const table = pickOne(
      tablesIn(elements).filter((one) => headedRows(one, isValue) !== null),
      pick,
    )
    if (table === null) return false
    const { head } = headedRows(table, isValue) as { head: Element }
    const width = widthOf(table)
    const [at, like] = [pick(width + 1), pick(width)]
    const isBlank = pick(3) === 0
    for (const row of rowsOf(table)) {
      const cells = cellsOf(row)
      if (cells.length !== width) continue
      const copied = cells[like] as Element
      const cell = new Element(copied.name, {})
      const text = textOf(copied)
      // "Prior 2025" would be a second column of that year.
      const heading = /\d/.test(text) ? 'Change' : `Prior ${text}`
      setText(cell, isBlank ? '' : row === head ? heading : otherText(text, isValue))
      const place = cells[at]
      if (place === undefined) insertAfter(cell, cells[at - 1] as Element)
      else insertBefore(cell, place)
    }
    return true
  },
  'headings once more among the rows': ({ elements, pick, isValue }) => {
    const headed = pickOne(
      tablesIn(elements).flatMap((one) => headedRows(one, isValue) ?? []),
      pick,
    )
    if (headed === null) return false
    insertAfter(cloneNode(headed.head, true), pickOne(headed.rows, pick) as Element)
    return true
  },
  'no headings': ({ elements, pick, isValue }) => {
    const headed = pickOne(
      tablesIn(elements).flatMap((one) => headedRows(one, isValue) ?? []),
      pick,
    )
    if (headed === null) return false
    remove(headed.head)
    return true
  },
  'rows in reverse order': ({ elements, pick, isValue }) => {
    const headed = pickOne(
      tablesIn(elements)
        .flatMap((one) => headedRows(one, isValue) ?? [])
        .filter(({ rows }) => rows.length > 1),
      pick,
    )
    if (headed === null) return false
    for (const row of headed.rows) insertAfter(row, headed.head)
    return true
  },
  'a notice among the rows': ({ elements, pick }) => {
    const table = pickOne(
      tablesIn(elements).filter((one) => widthOf(one) > 1),
      pick,
    )
    if (table === null) return false
    const row = new Element('tr', {})
    const cell = new Element('td', { colspan: String(widthOf(table)) })
    move(cell, row)
    setText(cell, 'These figures are preliminary and may change.')
    insertAfter(row, pickOne(rowsOf(table), pick) as Element)
    return true
  },
  'a spacer row': ({ elements, pick }) => {
    const table = pickOne(
      tablesIn(elements).filter((one) => widthOf(one) > 1),
      pick,
    )
    if (table === null) return false
    const row = new Element('tr', {})
    for (let cells = widthOf(table); cells > 0; cells--) {
      const cell = new Element('td', {})
      setText(cell, '\u00a0')
      move(cell, row)
    }
    insertAfter(row, pickOne(rowsOf(table), pick) as Element)
    return true
  },
  'rows without their values': (place) => changeRows(place, ({ rows }) => fillCells(rows, () => '')),
  'a blank row in place of the rows': (place) =>
    changeRows(place, ({ rows }) => {
      fillCells(rows.slice(0, 1), () => '\u00a0')
      rows.slice(1).forEach(remove)
    }),
  [FILLER_ROW]: (place) =>
    changeRows(place, ({ rows }) => {
      fillCells(rows.slice(0, 1), fillerFor)
      rows.slice(1).forEach(remove)
    }),
  'a row of fillers after the rows': (place) =>
    changeRows(place, ({ rows }) => {
      const last = rows.at(-1) as Element
      const row = cloneNode(last, true)
      fillCells([row], fillerFor)
      insertAfter(row, last)
    }),
  'head cells as plain cells': ({ elements, pick }) => {
    const table = pickOne(
      tablesIn(elements).filter((one) => elementsOf(one).some(({ name }) => name === 'th')),
      pick,
    )
    if (table === null) return false
    for (const cell of elementsOf(table)) if (cell.name === 'th') replace(cell, renamed(cell, 'td'))
    return true
  },
  'first cells as head cells': ({ elements, pick }) => {
    const table = pickOne(tablesIn(elements), pick)
    if (table === null) return false
    for (const row of rowsOf(table)) {
      const [cell] = cellsOf(row)
      if (cell?.name === 'td') replace(cell, renamed(cell, 'th'))
    }
    return true
  },
  'a cell with a block around its content': ({ elements, pick }) => {
    const cell = pickOne(
      elements.filter((element) => isCell(element) || element.name === 'dd'),
      pick,
    )
    if (cell === null) return false
    wrapContent(cell, new Element(pick(2) === 0 ? 'div' : 'p', {}))
    return true
  },
  'an empty value': ({ elements, pick, isValue, lose }) => {
    const words = elements.filter((element) => hasOnlyText(element) && isValue(textOf(element)))
    const value = pickOne([...new Set([...valueCells(elements, isValue), ...words])], pick)
    if (value === null) return false
    lose(textOf(value))
    setText(value, '')
    return true
  },
  'a cell less': ({ elements, pick, isValue, lose }) => {
    const value = pickOne(valueCells(elements, isValue), pick)
    if (value === null) return false
    lose(textOf(value))
    remove(value)
    return true
  },
  'a similar label above': (place) => {
    const { elements, pick, isValue } = place
    const label = pickOne(
      elements.filter((element) => isLabel(place, element) && pairOf(element, isValue) !== null),
      pick,
    )
    if (label === null) return false
    const pair = (pairOf(label, isValue) as Element[]).map((element) => cloneNode(element, true))
    // Attributes identify the value, like its id, so another value has other attributes.
    for (const element of pair.flatMap(elementsOf)) {
      for (const name of Object.keys(element.attribs)) if (name !== 'class') delete element.attribs[name]
    }
    const texts = pair.flatMap(elementsOf).flatMap(({ children }) => children.filter(isText))
    const [name, ...values] = texts.filter(({ data }) => data.trim() !== '')
    if (name === undefined) return false
    name.data = `Prior ${name.data.trim()}`
    for (const value of values) value.data = otherText(value.data, isValue)
    for (const element of pair) insertBefore(element, (pairOf(label, isValue) as [Element])[0])
    return true
  },
  'two tables exchanged': ({ elements, pick }) => {
    const tables = tablesIn(elements)
    // Headings between tables say what a table is, so only tables without anything between them are exchanged.
    const first = pickOne(
      tables.filter((table) => nextTable(table) !== null),
      pick,
    )
    if (first === null) return false
    insertBefore(nextTable(first) as Element, first)
    return true
  },
  'a table in a table for layout': ({ elements, pick }) => {
    const table = pickOne(tablesIn(elements), pick)
    if (table === null) return false
    const [layout, row, cell] = ['table', 'tr', 'td'].map((name) => new Element(name, {})) as [
      Element,
      Element,
      Element,
    ]
    insertBefore(layout, table)
    move(row, layout)
    move(cell, row)
    move(table, cell)
    return true
  },
  'a table twice': ({ elements, pick }) => {
    const table = pickOne(tablesIn(elements), pick)
    if (table === null) return false
    const copy = cloneNode(table, true)
    if (pick(2) === 0) for (const element of elementsOf(copy)) delete element.attribs.id
    insertAfter(copy, table)
    return true
  },
  'a hidden copy with other values above a table': ({ elements, pick, isValue }) => {
    const table = pickOne(
      tablesIn(elements).filter((one) => [one, ...aroundOf(one)].every(isShown)),
      pick,
    )
    if (table === null) return false
    const copy = cloneNode(table, true)
    changeTexts(copy, isValue)
    if (pick(2) === 0) for (const element of elementsOf(copy)) delete element.attribs.id
    const hiding = pick(3)
    if (hiding === 0) copy.attribs.hidden = ''
    if (hiding === 1) copy.attribs.style = 'display: none'
    const around = hiding === 2 ? new Element('div', { style: 'display:none' }) : copy
    insertBefore(around, table)
    if (around !== copy) move(copy, around)
    return true
  },
} satisfies Record<string, Change>

/** The same cell under another name. The old one keeps its place. */
const renamed = (cell: Element, name: string): Element => {
  const other = new Element(name, { ...cell.attribs })
  for (const node of [...cell.children]) move(node, other)
  return other
}

const exchangeColumns = (table: Element, one: number): void => {
  const width = widthOf(table)
  for (const row of rowsOf(table)) {
    const cells = cellsOf(row)
    const [left, right] = [cells[one], cells[one + 1]]
    if (cells.length === width && left !== undefined && right !== undefined) insertBefore(right, left)
  }
}

/** The cells beside a label or below a heading. */
const valueCells = (elements: readonly Element[], isValue: (text: string) => boolean): Element[] => {
  const headed = new Set(tablesIn(elements).flatMap((table) => headedRows(table, isValue)?.rows ?? []))
  return elements.filter((element) => {
    if (element.name === 'dd') return true
    if (!isCell(element) || element.name === 'th') return false
    const row = element.parent as Element
    if (headed.has(row)) return true
    const cells = cellsOf(row)
    return cells.length > 1 && !(isLabelCell(element) && nextCell(element) !== null) && cells.indexOf(element) > 0
  })
}

/** A label and its value with nothing else beside them: a row of two cells, or two entries of a list. */
const pairOf = (label: Element, isValue: (text: string) => boolean): Element[] | null => {
  const row = label.parent
  if (row === null || !isTag(row)) return null
  if (label.name === 'dt') {
    const value = label.next !== null && isTag(label.next) && label.next.name === 'dd' ? label.next : null
    return value === null ? null : [label, value]
  }
  const cells = isCell(label) ? cellsOf(row) : []
  const table = aroundOf(row).find(({ name }) => name === 'table')
  const isHeaded = table !== undefined && headedRows(table, isValue) !== null
  return cells.length === 2 && cells[0] === label && !isHeaded ? [row] : null
}

/** Changes the rows of one table with headings. */
const changeRows = (
  { elements, pick, isValue }: Place,
  change: (headed: { head: Element; rows: Element[] }) => void,
) => {
  const headed = pickOne(
    tablesIn(elements).flatMap((one) => headedRows(one, isValue) ?? []),
    pick,
  )
  if (headed === null) return false
  change(headed)
  return true
}

const fillCells = (rows: readonly Element[], fill: (text: string) => string): void => {
  for (const cell of rows.flatMap(cellsOf)) setText(cell, fill(textOf(cell)))
}

const fillerFor = (text: string): string => (text.includes('$') ? '$0.00' : '')

const hasOnlyText = ({ children }: Element): boolean => children.length > 0 && children.every(isText)

const nextTable = (table: Element): Element | null => {
  for (let next = table.next; next !== null; next = next.next) {
    if (isTag(next)) return next.name === 'table' ? next : null
    if (isText(next) && next.data.trim() !== '') return null
  }
  return null
}

const isShown = ({ attribs }: Element): boolean =>
  !('hidden' in attribs) && !/display\s*:\s*none/i.test(attribs.style ?? '')

import { type AnyNode, type Element, isTag } from 'domhandler'
import { PAGE_BOUNDS } from '../../../core/bounds'
import { ScrapeError } from '../../scrape-error'
import { type ShortTexts, textOf, wordsOf } from '../text'
import { isNoValue } from '../values'

/** Wider spans are mistakes, and expanding them would be costly. */
const MAX_SPAN = 100

export const isCell = (node: AnyNode): node is Element & { name: 'td' | 'th' } =>
  isTag(node) && (node.name === 'td' || node.name === 'th')

export const cellsOf = (row: Element): Element[] => row.children.filter(isCell)

/** The rows of a table, without the rows of tables inside its cells. */
export const rowsOf = (table: Element): Element[] =>
  table.children
    .filter(isTag)
    .flatMap((child) => (child.name === 'tr' ? [child] : child.children.filter(isTag)))
    .filter(({ name }) => name === 'tr')

/**
 * Row by row, the cell in each column. A cell that spans several columns or rows is repeated in each.
 *
 * @throws ScrapeError `too_large` when there are more cells than the page of one parcel has
 */
export const gridOf = (table: Element): Element[][] => {
  const hanging: { cell: Element; rows: number }[] = []
  let cells = 0
  const place = (line: Element[], cell: Element) => {
    if (++cells > PAGE_BOUNDS.tableCells) {
      throw new ScrapeError('too_large', `a table has more than ${PAGE_BOUNDS.tableCells} cells`)
    }
    line.push(cell)
  }
  return rowsOf(table).map((row) => {
    const line: Element[] = []
    const takeHanging = () => {
      for (let above = hanging[line.length]; above !== undefined && above.rows > 0; above = hanging[line.length]) {
        above.rows--
        place(line, above.cell)
      }
    }
    for (const cell of cellsOf(row)) {
      takeHanging()
      for (let left = spanOf(cell, 'colspan'); left > 0; left--) {
        hanging[line.length] = { cell, rows: spanOf(cell, 'rowspan') - 1 }
        place(line, cell)
      }
    }
    takeHanging()
    return line
  })
}

const spanOf = (cell: Element, attribute: string): number => {
  const span = Number.parseInt(cell.attribs[attribute] ?? '', 10)
  return span >= 1 ? Math.min(span, MAX_SPAN) : 1
}

export interface Grid {
  /** Unchanged text. */
  headings: string[]
  /** Rows with data below the headings, without repeated headings, blank rows and notices across the whole row. */
  rows: Element[][]
  /** Whether there are blank rows. */
  hasBlank: boolean
  /** The texts of those notices: titles, "No sales". */
  notices: string[]
}

/** The grid below the first row that has all of `headings`; or the headings missing from the row that has most of them. */
export const gridUnder = (
  grid: Element[][],
  headings: readonly string[],
  texts: ShortTexts,
): Grid | { missing: string[] } => {
  const wanted = headings.map(wordsOf)
  let missing = [...headings]
  for (const [index, line] of grid.entries()) {
    const words = line.map((cell) => wordsIn(cell, texts))
    const lacking = headings.filter((_, position) => !words.includes(wanted[position] as string))
    if (lacking.length === 0) {
      const below = grid.slice(index + 1)
      const notices = below.filter((row) => isNotice(row, words)).flatMap(([cell]) => (cell && textOf(cell)) || [])
      const hasBlank = below.some((row) => isBlankRow(row, texts))
      return { headings: line.map(textOf), rows: dataRows(below, words, texts), hasBlank, notices }
    }
    if (lacking.length < missing.length) missing = lacking
  }
  return { missing }
}

/** Null: longer than a heading. */
const wordsIn = (cell: Element, texts: ShortTexts): string | null => {
  const text = texts.of(cell)
  return text === null ? null : wordsOf(text)
}

const isBlankRow = (line: Element[], texts: ShortTexts): boolean =>
  line.every((cell) => isNoValue(texts.of(cell) ?? 'text'))

const isNotice = (line: Element[], headings: (string | null)[]): boolean =>
  headings.length > 1 && new Set(line).size === 1

const dataRows = (lines: Element[][], headings: (string | null)[], texts: ShortTexts): Element[][] =>
  lines.filter(
    (line) =>
      !isBlankRow(line, texts) &&
      !isNotice(line, headings) &&
      !line.every((cell, column) => {
        const words = wordsIn(cell, texts)
        return words !== null && words === headings[column]
      }),
  )

/** What the rows below the first row have. */
export type TableContent = 'no rows' | 'no values' | 'values'

export const contentOf = (table: Element): TableContent | null => {
  const [headings, ...rows] = rowsOf(table)
  if (headings === undefined) return null
  if (rows.length === 0) return 'no rows'
  return rows.every((row) => cellsOf(row).every((cell) => isNoValue(textOf(cell)))) ? 'no values' : 'values'
}

import { ScrapeError } from '../../scrape-error'
import type { PageUse } from '../page/page-use'
import { wordsOf } from '../text'
import { isFiller, readYear } from '../values'

export interface Cell {
  /** The name of its part of the page, for messages. */
  name: string
  text: string
  /** Undefined when the text is longer than a label. */
  shortText: string | undefined
}

export class TableRow<TableCell extends Cell> {
  readonly cells: TableCell[]
  readonly #columns: ReadonlyMap<string, number>
  readonly #use: PageUse

  constructor(cells: TableCell[], columns: ReadonlyMap<string, number>, use: PageUse) {
    this.cells = cells
    this.#columns = columns
    this.#use = use
  }

  /** Undefined when the table has no such heading, or the row ends before it. */
  cell(heading: string): TableCell | undefined {
    const column = this.#columns.get(wordsOf(heading))
    if (column !== undefined) this.#use.noteLabel(wordsOf(heading))
    return column === undefined ? undefined : this.cells[column]
  }

  text(heading: string): string | undefined {
    return this.cell(heading)?.text
  }
}

/**
 * The rows of a table. `map` and `flatMap` refuse to turn rows with values into an empty list: that would mean that the portal has no
 * entries, although the rows were just not understood.
 */
export class Rows<Row extends TableRow<Cell>> extends Array<Row> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }

  /** @throws ScrapeError `page_changed` when no row was understood */
  override map<Value>(read: (row: Row, index: number, rows: Row[]) => Value): Value[] {
    return understood(this, super.map(read))
  }

  /** @throws ScrapeError `page_changed` when no row was understood */
  override flatMap<Value>(read: (row: Row, index: number, rows: Row[]) => Value | readonly Value[]): Value[] {
    return understood(this, super.flatMap(read))
  }
}

const understood = <Value>(rows: readonly TableRow<Cell>[], read: Value[]): Value[] => {
  if (!read.every(isNothing)) return read
  const row = rows.find(hasValue)
  if (row === undefined) return read
  const shape = `${rows.length} rows of ${row.cells.length} cells`
  throw new ScrapeError('page_changed', `none of ${shape} under "${row.cells[0]?.name}" was understood`)
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.keys(value).length === 0 &&
    !(value instanceof TableRow))

/** A row with a year and only fillers is a year without values. */
const hasValue = ({ cells }: TableRow<Cell>): boolean =>
  cells.some(({ shortText }) => shortText === undefined || !(isFiller(shortText) || readYear(shortText) !== undefined))

export const toRows = <Row extends TableRow<Cell>>(rows: readonly Row[]): Rows<Row> => {
  const list = new Rows<Row>()
  for (const row of rows) list.push(row)
  return list
}

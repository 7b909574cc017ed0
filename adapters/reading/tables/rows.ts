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

  /** Whether all cells are blank or fillers. */
  get isFiller(): boolean {
    return this.cells.every(({ shortText }) => shortText !== undefined && isFiller(shortText))
  }

  /** Whether the row has the sum of other rows. A name that begins with "Total" is no such row. */
  get isTotal(): boolean {
    return TOTAL.test(wordsOf(this.cells.find(({ text }) => text !== '')?.shortText ?? ''))
  }

  /** This row should have been an entry beside these, and was not understood. */
  noteIncomplete(entries: readonly unknown[]): void {
    this.#use.noteIncomplete(entries, this.cells[0]?.name ?? '')
  }
}

const TOTAL =
  /^(?:grand |sub-?)?totals?(?: (?:for|of) .+| (?:acres|acreage|amount|area|balance|billed|charges?|due|paid|payments?|tax(?:es)?|values?))?$/

/**
 * The rows of a table. `map` and `flatMap` read them into a list of entries: rows of fillers and of totals are no entries. They refuse to
 * turn rows with values into an empty list: that would mean that the portal has no entries, although the rows were just not understood. If
 * only some rows were not understood, the list is incomplete (`PageUse.noteIncomplete`).
 */
export class Rows<Row extends TableRow<Cell>> extends Array<Row> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }

  /** @throws ScrapeError `page_changed` when no row was understood */
  override map<Value>(read: (row: Row, index: number, rows: Row[]) => Value): Value[] {
    return readEach(this, (row, index) => [read(row, index, this)])
  }

  /** @throws ScrapeError `page_changed` when no row was understood */
  override flatMap<Value>(read: (row: Row, index: number, rows: Row[]) => Value | readonly Value[]): Value[] {
    return readEach(this, (row, index) => [read(row, index, this)].flat() as Value[])
  }
}

const readEach = <Row extends TableRow<Cell>, Value>(
  rows: readonly Row[],
  read: (row: Row, index: number) => Value[],
): Value[] => {
  const entries: Value[] = []
  const unread: Row[] = []
  for (const [index, row] of rows.entries()) {
    if (row.isFiller || row.isTotal) continue
    const values = read(row, index)
    if (values.every(isNothing) && hasValue(row)) unread.push(row)
    entries.push(...values.filter((value) => value === undefined || !isNothing(value)))
  }
  const [first] = unread
  if (first !== undefined && entries.every(isNothing)) {
    const shape = `${rows.length} rows of ${first.cells.length} cells`
    throw new ScrapeError('page_changed', `none of ${shape} under "${first.cells[0]?.name}" was understood`)
  }
  first?.noteIncomplete(entries)
  return entries
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

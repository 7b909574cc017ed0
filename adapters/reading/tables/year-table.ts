import { ScrapeError } from '../../scrape-error'
import type { PageUse } from '../page/page-use'
import { wordsOf } from '../text'
import { readYearIn } from '../values'
import type { Cell } from './rows'

/** One column of a table. Several columns may have the same year: `2024 Certified`, `2024 Working`. */
export interface YearColumn<Name extends string> {
  year: number
  heading: string
  /** The cell in the row that `labels` names. Undefined: there is no such row. */
  text: (name: Name) => string | undefined
}

/**
 * A table with a column per year. Head cells are `td` or `th`, and a year may have words around it. The cells before the first year are
 * the row's label, and sometimes a sign (`+`, `=`) in its own column.
 */
export class YearTable {
  readonly #columns: { year: number; heading: string; index: number }[]
  readonly #rows: { label: string; cells: Cell[] }[]
  readonly #name: string
  readonly #use: PageUse

  /** @throws ScrapeError `page_changed` when rows have no heading with a year, or another number of cells than the headings */
  constructor(grid: Cell[][], name: string, use: PageUse) {
    this.#name = name
    this.#use = use
    const filled = grid.filter((line) => line.some(({ shortText }) => shortText !== ''))
    const head = filled.findIndex(isHead)
    const [headings = []] = head === -1 ? [] : [filled[head]]
    if (head === -1 && filled.length > 1)
      throw new ScrapeError('page_changed', `no year among the headings of "${name}"`)
    this.#columns = headings.flatMap((cell, index) => {
      const year = readYearIn(cell.shortText)
      return year === undefined ? [] : [{ year, heading: cell.shortText ?? '', index }]
    })
    const first = this.#columns[0]?.index ?? 0
    const below = filled.slice(head + 1).filter((line) => new Set(line.map(({ text }) => text)).size > 1)
    const ragged = below.find((line) => line.length !== headings.length)
    if (head !== -1 && ragged !== undefined) {
      throw new ScrapeError(
        'page_changed',
        `a row of ${ragged.length} cells under ${headings.length} headings of "${name}"`,
      )
    }
    this.#rows =
      head === -1
        ? []
        : below.map((cells) => ({
            label: wordsOf(cells.slice(0, first).findLast(({ text }) => /\p{L}/u.test(text))?.text ?? ''),
            cells,
          }))
  }

  /** The labels of its rows. */
  get labels(): string[] {
    return this.#rows.map(({ label }) => label)
  }

  /**
   * The columns with values, as displayed from left to right, read by the labels of rows. Empty when the table has headings and no rows.
   *
   * @throws ScrapeError `page_changed` when it has rows, and none has a known label
   */
  read<Name extends string>(labels: Readonly<Partial<Record<Name, string | RegExp>>>): YearColumn<Name>[] {
    const rowOf = (label: string | RegExp | undefined) =>
      this.#rows.find((row) =>
        label instanceof RegExp ? label.test(row.label) : label !== undefined && row.label === wordsOf(label),
      )
    const rows = new Map((Object.keys(labels) as Name[]).map((name) => [name, rowOf(labels[name])]))
    const known = [...rows.values()].filter((row) => row !== undefined)
    if (this.#rows.length > 0 && known.length === 0) {
      const shown = this.labels.slice(0, 5).join('", "')
      throw new ScrapeError('page_changed', `no known label under "${this.#name}", which has "${shown}"`)
    }
    for (const { label } of known) this.#use.noteLabel(label)
    return this.#columns
      .filter(({ index }) => known.some(({ cells }) => cells[index]?.text !== ''))
      .map(({ year, heading, index }) => ({ year, heading, text: (name) => rows.get(name)?.cells[index]?.text }))
  }
}

/** From its first year on, all cells are years or blank. A row that begins with its year is data. */
const isHead = (line: Cell[]): boolean => {
  const years = line.map(({ shortText }) => readYearIn(shortText))
  const first = years.findIndex((year) => year !== undefined)
  return (
    first > 0 &&
    line.slice(first).every(({ shortText }, index) => shortText === '' || years[first + index] !== undefined)
  )
}

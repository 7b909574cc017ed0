import { bestMatch } from '../../reading/best-match'
import type { Region } from '../../reading/region'
import { wordsOf } from '../../reading/text'
import { ScrapeError } from '../../scrape-error'
import type { Place } from './config'

/** The datalets of one parcel, read as a single page. */
export class Datalets {
  readonly #pages: readonly Region[]

  constructor(pages: readonly Region[]) {
    this.#pages = pages
  }

  /**
   * The table with this id, or else the one whose id begins with it, or contains it.
   *
   * @throws ScrapeError `page_changed` when no datalet has such a table, or several fit equally well
   */
  getTable(id: string): Region {
    const tables = this.#pages.flatMap((page) => page.all('table[id]', id))
    const ids = tables.map((table) => table.attribute('id') ?? '')
    const match = bestMatch(id, ids)
    return match === undefined ? missing(id, 'the datalets') : (tables[ids.indexOf(match)] as Region)
  }

  /**
   * The value beside a label, line by line. Rows directly below it with a blank label, or with the same one, continue it. Without a label,
   * returns all values of the column, where a blank cell is an empty line.
   *
   * @throws ScrapeError `page_changed` naming the missing table, label or column, or the label that is elsewhere in the table, too
   */
  getLines({ table: id, label, column }: Place): string[] {
    const table = this.getTable(id)
    if (label === undefined) {
      const heading = column ?? ''
      const lines = table.getTable([heading]).rows.flatMap((row) => {
        const own = row.cell(heading)?.lines ?? []
        return own.length === 0 ? [''] : own
      })
      // `table` skips blank rows, but the first blank row may be the first owner's.
      const rows = table.all('tr')
      const head = rows.findIndex((row) =>
        row.all('td').some(({ shortText }) => wordsOf(shortText ?? '') === wordsOf(heading)),
      )
      return rows[head + 1]?.text === '' ? ['', ...lines] : lines
    }
    if (column !== undefined) {
      const { rows } = table.getTable([column])
      const [row, ...others] = rows.filter(({ cells }) => wordsOf(cells[0]?.text ?? '') === wordsOf(label))
      if (others.some((other) => other.text(column) !== row?.text(column))) refuseTwoValues(label, id)
      return row === undefined ? missing(label, id) : (row.cell(column)?.lines ?? [])
    }
    const rows = table.all('tr').map((row) => ({
      label: row.find('td.DataletSideHeading')?.text,
      data: row.find('td.DataletData'),
    }))
    const isLabelled = (row: (typeof rows)[number]) => wordsOf(row.label ?? '') === wordsOf(label)
    const from = rows.findIndex(isLabelled)
    if (from === -1) missing(label, id)
    const after = rows.slice(from + 1)
    const end = after.findIndex((row) => row.label !== '' && !isLabelled(row))
    const isOther = (row: (typeof rows)[number]) => !isLabelled(row) || row.data?.text !== rows[from]?.data?.text
    if (end !== -1 && after.slice(end).some((row) => isLabelled(row) && isOther(row))) refuseTwoValues(label, id)
    const own = [rows[from], ...after.slice(0, end === -1 ? undefined : end).filter(isOther)]
    return own.flatMap((row) => row?.data?.lines ?? missing(`value of ${label}`, id))
  }

  getText(place: Place): string {
    return this.getLines(place).join(' ')
  }

  /** Whether the table has a row with this heading. */
  hasRow({ table, label }: { table: string; label: string }): boolean {
    return this.getTable(table)
      .all('td.DataletSideHeading')
      .some(({ text }) => wordsOf(text) === wordsOf(label))
  }
}

const refuseTwoValues = (label: string, table: string): never => {
  throw new ScrapeError('page_changed', `"${label}" is under "${table}" several times, with different values`)
}

const missing = (what: string, table: string): never => {
  throw new ScrapeError('page_changed', `no "${what}" under "${table}"`)
}

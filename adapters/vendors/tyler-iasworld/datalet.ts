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

  /** @throws ScrapeError `page_changed` when no datalet has such a table */
  getTable(id: string): Region {
    for (const page of this.#pages) {
      const table = page.all('table[id]', id).find((candidate) => candidate.attribute('id') === id)
      if (table !== undefined) return table
    }
    throw new ScrapeError('page_changed', `no table "${id}" in the datalets`)
  }

  /**
   * The value beside a label, line by line. Rows with a blank label continue it.
   *
   * @throws ScrapeError `page_changed` naming the missing table, label or column
   */
  getLines({ table: id, label, column }: Place): string[] {
    const table = this.getTable(id)
    if (column !== undefined) {
      const row = table.getTable([column]).rows.find(({ cells }) => wordsOf(cells[0]?.text ?? '') === wordsOf(label))
      return row === undefined ? missing(label, id) : (row.cell(column)?.lines ?? [])
    }
    const rows = table.all('tr').map((row) => ({
      label: row.find('td.DataletSideHeading')?.text,
      data: row.find('td.DataletData'),
    }))
    const from = rows.findIndex((row) => row.label !== undefined && wordsOf(row.label) === wordsOf(label))
    if (from === -1) missing(label, id)
    const after = rows.slice(from + 1)
    const end = after.findIndex((row) => row.label !== '')
    const own = [rows[from], ...after.slice(0, end === -1 ? undefined : end)]
    return own.flatMap((row) => row?.data?.lines ?? missing(`value of ${label}`, id))
  }

  getText(place: Place): string {
    return this.getLines(place).join(' ')
  }
}

const missing = (what: string, table: string): never => {
  throw new ScrapeError('page_changed', `no "${what}" under "${table}"`)
}

import type { Region } from '../../reading/region'
import { wordsOf } from '../../reading/text'
import { isFiller } from '../../reading/values'
import { ScrapeError } from '../../scrape-error'

/** A grid of the report. */
export interface Grid {
  /** In the form that `wordsOf` gives. */
  headings: string[]
  /** As many cells as there are headings. Without repeated headings, and rows of blanks and fillers. */
  rows: Region[][]
  /** Whether there are rows of blanks and fillers. */
  hasBlank: boolean
  /** Texts that span the whole grid, such as "No sales". */
  notices: string[]
}

/**
 * `title` is its name in messages. @throws ScrapeError `page_changed` when a row has a different number of cells than the row of
 * headings
 */
export const readGrid = (table: Region, title: string): Grid => {
  const lines = table.all('tr').map((row) => row.all('th, td'))
  const [head = [], ...rest] = lines
  const grid: Grid = { headings: head.map(({ text }) => wordsOf(text)), rows: [], hasBlank: false, notices: [] }
  for (const cells of rest) {
    const [first] = cells
    const texts = cells.map(({ text }) => wordsOf(text))
    if (Bun.deepEquals(texts, grid.headings)) continue
    if (cells.every(({ text }) => isFiller(text))) grid.hasBlank = true
    else if (cells.length === grid.headings.length) grid.rows.push(cells)
    else if (cells.length === 1 && first?.attribute('colspan') !== undefined) grid.notices.push(first.text)
    else if (cells.length > 0) {
      const where = `"${first?.text}" has ${cells.length} cells under ${grid.headings.length} headings of "${title}"`
      throw new ScrapeError('page_changed', where)
    }
  }
  return grid
}

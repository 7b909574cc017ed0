import { noteWarning } from '../../reading/page/reading-report'
import type { Region } from '../../reading/region'
import { present, readDate, readMoney, readName, readRecordingNumber, readText } from '../../reading/values'
import type { Sale } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import { readGrid } from './grid'

const GRIDS = ['_grdSales', '_grdSales_grdFlat', '_grdSalesHist', '_gvwSales', '_gvwList']
const HEADINGS = {
  date: /^(?:sale |transfer )?date$/,
  price: /^(?:sales? )?(?:price|amount)$/,
  deed: /^(?:instrument|deed type|instrument type)$/,
  number: /^instrument (?:number|no\.?|#)$/,
  grantor: /^(?:grantor|seller)$/,
  grantee: /^(?:grantee|buyer)$/,
  bookAndPage: /^(?:deed )?book ?(?:\/|&|and) ?page$/,
  book: /^(?:deed )?book$/,
  page: /^(?:deed )?page$/,
}
/** Database columns of cells, in counties that name them. */
const EDIT_KEYS = { date: '_sales_SaleDate', price: '_sales_SalePrice' }

const NO_SALES = /^(?:there are )?no (?:\w+ ){0,2}(?:sales?|records?|data|transfers?)\b/i

/**
 * The sales of one section, because other sections have grids with the same id. Undefined: it has no known grid, or only blank rows, or,
 * with a warning, several grids with sales, which may have some of them in common.
 *
 * @throws ScrapeError `page_changed` when the grid has no date
 */
export const readSales = (section: Region | undefined): Sale[] | undefined => {
  const tables = section?.all(GRIDS.map((id) => `table[id$="${id}"]`).join(', '), 'Sales') ?? []
  const grids = tables.filter((table) => table.find('table') === undefined).map((table) => readGrid(table, 'Sales'))
  const [grid = grids[0], ...others] = grids.filter((one) => one.rows.length > 0)
  if (grid === undefined) return undefined
  if (others.length > 0) {
    noteWarning('there are several tables of sales, so the sales were left out')
    return undefined
  }
  const { headings, rows, hasBlank, notices } = grid
  if (rows.length === 0 && notices.length > 0) return notices.some((notice) => NO_SALES.test(notice)) ? [] : undefined
  if (rows.length === 0 && hasBlank) return undefined
  const columns = Object.fromEntries(
    Object.entries(HEADINGS).map(([name, words]) => [name, headings.findIndex((heading) => words.test(heading))]),
  ) as Record<keyof typeof HEADINGS, number>
  if (columns.date === -1) throw new ScrapeError('page_changed', 'no heading "Date" under "Sales"')
  return rows.map((cells) => {
    const keyed = (name: keyof typeof EDIT_KEYS) =>
      cells.flatMap((cell) =>
        cell.attribute('editkey')?.endsWith(EDIT_KEYS[name])
          ? cell
          : (cell.find(`[editkey$="${EDIT_KEYS[name]}"]`) ?? []),
      )[0]
    const text = (name: keyof typeof HEADINGS) => cells[columns[name]]?.text
    return present<Sale>({
      sold_on: readDate((keyed('date') ?? cells[columns.date])?.text),
      price: readMoney((keyed('price') ?? cells[columns.price])?.text),
      deed_type: readText(text('deed')),
      grantor: readName(text('grantor')),
      grantee: readName(text('grantee')),
      document_number: readRecordingNumber(text('number')),
      ...readBookAndPage(text),
      document_url: cells[columns.number]?.link ?? cells[columns.bookAndPage]?.link,
    })
  })
}

/** `1204/88` in one cell, or a cell for each. */
const readBookAndPage = (
  text: (name: 'bookAndPage' | 'book' | 'page') => string | undefined,
): Pick<Sale, 'book' | 'page'> => {
  const { book, page } = /^(?<book>\w+)\s*\/\s*(?<page>\w+)$/.exec(text('bookAndPage') ?? '')?.groups ?? {}
  return present<Pick<Sale, 'book' | 'page'>>({
    book: readRecordingNumber(book ?? text('book')),
    page: readRecordingNumber(page ?? text('page')),
  })
}

import type { RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { getParcelNumberIn } from '../../reading/get-parcel-number-in'
import { readPage } from '../../reading/read-page'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { present, readDate, readMoney, readText, readYear } from '../../reading/values'
import type { Sale, Statement } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** A parcel's page from the assessor or the treasurer. */
export const parseParcel = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'parcel')
  const document = documentNamed(documents, 'parcel')
  const parcelNumber = getParcelNumberIn(page, target)
  const statements = config.portal === 'treasurer' ? readStatements(page) : undefined
  return {
    shownIds: [parcelNumber],
    fields: {},
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, { years: statements?.map(({ tax_year }) => tax_year) ?? [] }),
      ...(statements === undefined ? { sale_history: readSales(page) } : { statements }),
    },
  }
}

const readSales = (page: Region): Sale[] =>
  page
    .get('#dtaSales', 'dtaSales')
    .getTable(['Date', 'Price', 'Book/Page'])
    .rows.map((row) => {
      const [, book, bookPage] = /^([\w-]+)\s*\/\s*([\w-]+)$/.exec(row.text('Book/Page') ?? '') ?? []
      return present<Sale>({
        sold_on: readDate(row.text('Date')),
        price: readMoney(row.text('Price')),
        book: readText(book),
        page: readText(bookPage),
      })
    })

/** @throws ScrapeError `page_changed` when a row and the headings differ in length, so positions mean nothing */
const readStatements = (page: Region): Statement[] => {
  const [headings, ...rows] = page.get('table.datagrid', 'datagrid').all('tr')
  const columns = headings?.all('td, th').length ?? 0
  return rows.flatMap((row) => {
    const cells = row.all('td')
    if (cells.length !== columns || columns < 7) {
      throw new ScrapeError('page_changed', `a row of ${cells.length} cells under ${columns} headings ("datagrid")`)
    }
    const year = readYear(cells[0]?.text)
    if (year === undefined) return []
    const values = present<Omit<Statement, 'tax_year'>>({
      bill_number: readText(cells[1]?.text),
      billed: readMoney(cells[5]?.text),
      due: readMoney(cells[6]?.text),
    })
    return [{ tax_year: year, ...values }]
  })
}

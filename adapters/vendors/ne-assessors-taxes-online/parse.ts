import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { getParcelNumberIn } from '../../reading/get-parcel-number-in'
import { readPage } from '../../reading/page/read-page'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { present, readDate, readMoney, readName, readRecordingNumber, readText, readYear } from '../../reading/values'
import type { Sale, Scrape, Statement } from '../../scrape'
import { type Config, portalOf } from './config'
import { readResult } from './fetch'

/** A parcel's page from the assessor or the treasurer. */
export const parseParcel = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'parcel')
  const document = documentNamed(documents, 'parcel')
  const parcelNumber = getParcelNumberIn(page, target)
  const portal = portalOf(target, config)
  const statements = portal === 'treasurer' ? readStatements(page) : undefined
  const result = readResult(documentNamed(documents, 'results'), target.sourceParcelId, portal)
  // The lines below the name are part of the address. It is not known whether a comma separates owners.
  const owner = readName(result.owner?.lines[0])
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      ownerName: owner,
      ownerNamesAll: owner === undefined ? undefined : [owner],
      situsAddress: readText(result.situs?.text),
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, { years: statements?.map(({ tax_year }) => tax_year) ?? [] }),
      ...present<Pick<Scrape, 'owner_name' | 'owners'>>({
        owner_name: owner,
        owners: owner === undefined ? undefined : [{ name: owner }],
      }),
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
        book: readRecordingNumber(book),
        page: readRecordingNumber(bookPage),
      })
    })

/** The exact headings are not known. */
const COLUMNS = {
  year: /^(?:tax )?year\b/,
  statement: /^(?:statement|stmt|bill)\b/,
  net: /\bnet\b/,
  balance: /\bbalance\b/,
}

/**
 * The grid has the class `datagrid`, or the id of the results. The headings may be repeated.
 *
 * @throws ScrapeError `page_changed` when a heading is not known, a row and the headings differ in length, or no row has a year
 */
const readStatements = (page: Region): Statement[] => {
  const grid = page.find('table.datagrid', 'datagrid') ?? page.get('table#dtaResults', 'datagrid')
  const { rows, cell } = grid.getTableLike(COLUMNS, ['year', 'net', 'balance'])
  return rows.flatMap((row) => {
    const year = readYear(cell(row, 'year')?.text)
    if (year === undefined) return []
    const values = present<Omit<Statement, 'tax_year'>>({
      bill_number: readText(cell(row, 'statement')?.text),
      billed: readMoney(cell(row, 'net')?.text),
      due: readMoney(cell(row, 'balance')?.text),
    })
    return [{ tax_year: year, ...values }]
  })
}

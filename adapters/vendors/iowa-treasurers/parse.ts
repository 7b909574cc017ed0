import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { bestMatch } from '../../reading/best-match'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import type { Region, Table } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { findColumns } from '../../reading/tables/find-columns'
import { taxStatus } from '../../reading/tax-status'
import {
  present,
  readCityStateZip,
  readDate,
  readMoney,
  readMoneyTotal,
  readName,
  readText,
  readYear,
} from '../../reading/values'
import type { Scrape, Statement } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** The popup of one parcel: plain tables, identified by the words in their first cell. One project read them, so that labels may have more words. */
export const parseParcel = (documents: readonly RawDocument[], _target: ScrapeTarget, _config: Config): ReadParcel => {
  const page = readPage(documents, 'parcel')
  const document = documentNamed(documents, 'parcel')
  const bill = getRows(page, 'Collector')
  const [first] = bill.rows
  if (first === undefined) throw new ScrapeError('page_changed', 'no row under "Collector"')
  // If the headings do not help, the columns are the collector, the parcel number, an unknown column and the tax year.
  const numberCells = cellsUnder(bill, /\bparcel\b/i) ?? bill.rows.map(({ cells }) => cells[1])
  const yearCells = cellsUnder(bill, /\byear\b/i) ?? bill.rows.map(({ cells }) => cells[3])
  const parcelNumber = numberCells[0]?.text ?? ''
  const [yearCell] = yearCells
  // The installments below are of one bill.
  for (const cells of [numberCells, yearCells]) {
    if (new Set(cells.map((cell) => cell?.text)).size > 1) {
      throw new ScrapeError('page_changed', `${bill.rows.length} rows under "Collector", which differ`)
    }
  }
  const year = readYear(yearCell?.text)
  if (year === undefined)
    throw new ScrapeError('page_changed', `no tax year under "Collector", but "${yearCell?.text}"`)

  const owned = getRows(page, 'Owner')
  const { owner: column = 0 } = findColumns(owned.headings, { owner: /\bowner/ }, 'Owner')
  const owners = [...owned.rows].flatMap(
    ({ cells }) => cells[column]?.lines.flatMap((line) => readName(line) ?? []) ?? [],
  )
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      ...readPlace(findPlace(owned)?.lines ?? []),
      ownerName: owners[0],
      ownerNamesAll: owners.length === 0 ? undefined : owners,
      assessedValue: readMoney(getValue(page, 'Assessed Value').text),
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, { years: [year] }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owners[0],
        owners: owners.length === 0 ? undefined : owners.map((name) => ({ name })),
        statements: [readStatement(page, year)],
      }),
    },
  }
}

/** The table whose first cell has these words, or begins with them, or contains them. */
const findTitled = (page: Region, title: string): { table: Region; title: string } | undefined => {
  const tables = page.all('table', title).flatMap((table) => {
    const cell = table.find('td, th')
    return cell?.shortText && cell.find('table') === undefined ? [{ table, title: cell.shortText }] : []
  })
  const match = bestMatch(
    title,
    tables.map((table) => table.title),
  )
  return tables.find((table) => table.title === match)
}

const getRows = (page: Region, title: string): Table => {
  const found = findTitled(page, title)
  if (found === undefined) throw new ScrapeError('page_changed', `no "${title}" on the ${page.name} page`)
  return found.table.getTable([found.title])
}

/** The cells under the only heading that matches. */
const cellsUnder = ({ headings, rows }: Table, words: RegExp): (Region | undefined)[] | undefined => {
  const [column, ...others] = headings.flatMap((heading, index) => (words.test(heading) ? [index] : []))
  return column === undefined || others.length > 0 ? undefined : rows.map(({ cells }) => cells[column])
}

const LINKS_OF_THE_PLACE = /^(?:map|assessment information)$/i
/** The number of columns of the known table, in which the third column is the property's address. */
const KNOWN_COLUMNS = 3

const findPlace = (owned: Table): Region | undefined => {
  const cells = owned.rows[0]?.cells ?? []
  const withLinks = cells.find((cell) => cell.all('a').some(({ text }) => LINKS_OF_THE_PLACE.test(text)))
  const known = owned.headings.length === KNOWN_COLUMNS ? cells[2] : undefined
  return withLinks ?? cellsUnder(owned, /\b(?:property|situs|location)\b/i)?.[0] ?? known
}

/** The cell with the address also has links to the map and to the assessor. */
const readPlace = (lines: readonly string[]): ParcelFields => {
  const address = lines.flatMap((line) => readText(line.replace(/(?:\s*\b(?:Map|Assessment Information))+$/, '')) ?? [])
  const { city, state, zip } = readCityStateZip(address.length > 1 ? address.at(-1) : undefined)
  return present<ParcelFields>({ situsAddress: address[0], situsCity: city, situsState: state, situsZip: zip })
}

/** The value may be blank beside the exact label, but not beside a similar one. */
const getValue = (region: Region, label: string): Region => region.findBeside(label) ?? region.getBesideLike(label)

const HALVES = ['First Installment', 'Second Installment']
/** Words of the table of an installment, whatever its title is. */
const OF_INSTALLMENT = /\b(?:base due|interest begins)\b/i

/**
 * Adds up the halves of a year's tax. If only one is shown, its amounts are the statement's, without a status: the other half is not known.
 * The payment date is present only if both halves are paid.
 */
const readStatement = (page: Region, taxYear: number): Statement => {
  const titled = HALVES.map((title) => findTitled(page, title)?.table)
  const shown = titled.filter((table) => table !== undefined)
  const halves = shown.map(readInstallment)
  const tables = page
    .all('table')
    .filter((table) => table.find('table') === undefined && OF_INSTALLMENT.test(table.text))
  if (shown.length === 0 || shown.length !== tables.length) {
    const missing = HALVES.filter((_, index) => titled[index] === undefined).join('" and no "')
    throw new ScrapeError(
      'page_changed',
      `no "${missing}" on the ${page.name} page, which has ${tables.length} tables of installments`,
    )
  }
  const amounts = present<Omit<Statement, 'tax_year'>>({
    billed: readMoneyTotal(halves.map(({ billed }) => billed)),
    paid: readMoneyTotal(halves.map(({ paid }) => paid)),
    due: readMoneyTotal(halves.map(({ due }) => due)),
  })
  const isWhole = halves.length === HALVES.length
  const paidOn = halves.map((half) => half.paidOn)
  const isPaid = isWhole && amounts.due === 0 && paidOn.every((date) => date !== undefined)
  return {
    tax_year: taxYear,
    ...amounts,
    ...present<Omit<Statement, 'tax_year'>>({
      paid_on: isPaid ? paidOn.toSorted().at(-1) : undefined,
      status: isWhole ? taxStatus(amounts) : undefined,
    }),
  }
}

const readInstallment = (table: Region) => ({
  billed: getValue(table, 'Base Due').text,
  paid: getValue(table, 'Payment').text,
  due: getValue(table, 'Total Due').text,
  /** A half may be paid in parts. */
  paidOn: table
    .all('td')
    .flatMap(({ text }) => readDate(/\bpaid on\b:?\s*(.+)/i.exec(text)?.[1]) ?? [])
    .sort()
    .at(-1),
})

import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/read-page'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import {
  present,
  readCityStateZip,
  readDate,
  readMoney,
  readName,
  readNumber,
  readText,
  readYear,
} from '../../reading/values'
import type { Scrape, Statement } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** The popup of one parcel: plain tables, identified by the words in their first cell. */
export const parseParcel = (documents: readonly RawDocument[], _target: ScrapeTarget, _config: Config): ReadParcel => {
  const page = readPage(documents, 'parcel')
  const document = documentNamed(documents, 'parcel')
  // Only the first heading is known: the columns are collector, parcel number, an unknown one, tax year.
  const [, parcelNumber = '', , taxYear] = readFirstRow(page, 'Collector', 4)
  const year = readYear(taxYear)
  if (year === undefined) throw new ScrapeError('page_changed', `no tax year under "Collector", but "${taxYear}"`)

  // Owner, an unknown column, property address.
  const owners = readTable(page, 'Owner', 3).flatMap(([owner]) => readName(owner?.text) ?? [])
  const [, , place] = readTable(page, 'Owner', 3)[0] ?? []
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      ...readPlace(place?.lines ?? []),
      ownerName: owners[0],
      ownerNamesAll: owners.length === 0 ? undefined : owners,
      assessedValue: readMoney(page.getBeside('Assessed Value').text),
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

const readTable = (page: Region, heading: string, columns: number): Region[][] => {
  const { headings, rows } = page.getTable([heading])
  if (headings.length === columns) return rows.map(({ cells }) => cells)
  throw new ScrapeError('page_changed', `${headings.length} columns under "${heading}", not ${columns}`)
}

const readFirstRow = (page: Region, heading: string, columns: number): string[] => {
  const [cells] = readTable(page, heading, columns)
  if (cells === undefined) throw new ScrapeError('page_changed', `no row under "${heading}"`)
  return cells.map(({ text }) => text)
}

/** The address's cell also has links to the map and to the assessor. */
const readPlace = (lines: readonly string[]): ParcelFields => {
  const address = lines.flatMap((line) => readText(line.replace(/(?:\s*\b(?:Map|Assessment Information))+$/, '')) ?? [])
  const { city, state, zip } = readCityStateZip(address.length > 1 ? address.at(-1) : undefined)
  return present<ParcelFields>({ situsAddress: address[0], situsCity: city, situsState: state, situsZip: zip })
}

/** Combines the two halves of a year's tax. The payment date is set only when both halves are paid. */
const readStatement = (page: Region, taxYear: number): Statement => {
  const halves = ['First Installment', 'Second Installment'].map((title) => readInstallment(getTableOf(page, title)))
  const billed = total(halves.map((half) => half.billed))
  const paid = total(halves.map((half) => half.paid))
  const due = total(halves.map((half) => half.due))
  const paidOn = halves.flatMap((half) => half.paidOn ?? []).sort()
  return {
    tax_year: taxYear,
    ...present<Omit<Statement, 'tax_year'>>({
      billed: toDollars(billed),
      paid: toDollars(paid),
      due: toDollars(due),
      paid_on: due === 0 && paidOn.length === halves.length ? paidOn.at(-1) : undefined,
      status: statusOf(billed, paid, due),
    }),
  }
}

const getTableOf = (page: Region, title: string): Region => {
  const table = page.all('table', title).find((candidate) => candidate.find('td, th')?.shortText === title)
  if (table === undefined) throw new ScrapeError('page_changed', `no "${title}" on the ${page.name} page`)
  return table
}

const readInstallment = (table: Region) => {
  const amount = (label: string) => readNumber(table.getBeside(label).text.replace('$', ''))
  return {
    billed: amount('Base Due'),
    paid: amount('Payment'),
    due: amount('Total Due'),
    paidOn: readDate(table.findLine('Paid on')),
  }
}

/** Undefined when one of them is undefined. */
const total = (amounts: readonly (number | undefined)[]): number | undefined =>
  amounts.reduce((sum, amount) => (sum === undefined || amount === undefined ? undefined : sum + amount), 0)

const toDollars = (amount: number | undefined): number | undefined =>
  amount === undefined ? undefined : Math.round(amount)

const statusOf = (
  billed: number | undefined,
  paid: number | undefined,
  due: number | undefined,
): Statement['status'] => {
  if (billed === undefined || paid === undefined || due === undefined || billed === 0) return undefined
  if (due === 0) return 'paid'
  return paid === 0 ? 'unpaid' : 'partial'
}

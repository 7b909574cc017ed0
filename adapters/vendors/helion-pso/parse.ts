import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import {
  isLikeAddress,
  present,
  readAcres,
  readAddress,
  readDate,
  readMoney,
  readName,
  readNames,
  readRecordingNumber,
  readSquareFeet,
  readText,
  readYear,
} from '../../reading/values'
import type { Improvement, Sale, Scrape, Statement, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { readAccount } from './fetch'

/** One account's page, filled by its scripts, and the dialogs of its Taxes tab. */
export const parseAccount = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const results = documents.find(({ name }) => name === 'results')
  if (results !== undefined) readAccount(results, target.sourceParcelId)
  const page = readPage(documents, 'detail')
  const document = documentNamed(documents, 'detail')
  const account = page.get('#account', 'Account')
  const parcelNumber = config.parcel_id === 'account' ? readHeading(page) : getField(account, 'Map and Taxlot').text

  const owners = readOwners(account)
  const history = readHistory(page.get('#values', 'Value History'))
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      situsAddress: readText(getField(account, 'Situs Address').lines[0]),
      ownerName: owners[0],
      ownerNamesAll: owners.length === 0 ? undefined : owners,
      ownerMailingAddress: readMailingAddress(getField(account, 'Mailing Address').lines, owners),
      landUseClass: readText(account.getBeside('Property Class').text),
      acreage: readAcres(account.getBeside('Size').text),
      ...readValues(account),
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, { marker: readAsOf(documents), years: history.map(({ year }) => year) }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owners[0],
        owners: owners.length === 0 ? undefined : owners.map((name) => ({ name })),
        valuation_history: history,
        sale_history: readSales(page.get('#sales', 'Sales History')),
        improvements: readImprovements(account),
        statements: readPayments(documents),
      }),
    },
  }
}

/** `Account 171 Assessment Summary` or `Account 171`, in a heading of any level. */
const readHeading = (page: Region): string => {
  const [account] = page.lines.flatMap((line) => /^Account (\S*\d\S*)(?: Assessment Summary)?$/i.exec(line)?.[1] ?? [])
  if (account === undefined) throw new ScrapeError('page_changed', 'no "Assessment Summary" on the detail page')
  return account
}

/**
 * A label and its value share a column. Columns are nested: the innermost one belongs to the label. A release without columns has the value
 * right after the label.
 */
const getField = (account: Region, label: string): Region => {
  const column = account
    .all('[class*="col-"]', label)
    .findLast((candidate) => candidate.all('span.font-weight-bold').some(({ shortText }) => shortText === label))
  if (column !== undefined) return column.get('p', label)
  const beside = account.all('span.font-weight-bold', label).find(({ shortText }) => shortText === label)
  const value = beside?.findNext(':not(.font-weight-bold)', label)
  if (value === undefined) throw new ScrapeError('page_changed', `no "${label}" under "Account"`)
  return value
}

/** Several owners are each in their own group with a role beside the name; a single owner is beside the label. */
const readOwners = (account: Region): string[] => {
  const groups = account.all('[role="group"][aria-label^="Owner"]')
  if (groups.length === 0) return [readName(getField(account, 'Owner').text) ?? []].flat()
  return readNames(groups.map((group) => group.get('[aria-label$=" name"]', 'Owner name').text))
}

/** The first line is the owner's name. Undefined if no owner is known, and the first line may be one. */
const readMailingAddress = (lines: readonly string[], [owner]: readonly string[]): string | undefined => {
  const [first = '', ...others] = lines
  if (owner === undefined) return isLikeAddress(first) ? readAddress(lines) : undefined
  return readAddress(readName(first) === owner ? others : lines)
}

/** Real market values of land and buildings, and the assessed value of the total. */
const readValues = (account: Region): ParcelFields => {
  const headings = ['Type', 'RMV', 'MAV', 'AV']
  const table = account
    .all('table', 'Assessment')
    .find((candidate) => headings.every((heading, column) => candidate.all('th')[column]?.shortText === heading))
  if (table === undefined) throw new ScrapeError('page_changed', `no table "${headings.join('", "')}" under "Account"`)
  // Maximum and assessed value exist only for the total: the other rows may end before them.
  const marketValue = (type: string) => {
    const cells = table.findCells(type) ?? []
    return cells.length === 1 || cells.length === 3 ? readMoney(cells[0]?.text) : undefined
  }
  return present<ParcelFields>({
    valueLand: marketValue('Land'),
    valueImprovement: marketValue('Improvements'),
    assessedValue: readMoney(table.getCells('Total', 3)[2]?.text),
  })
}

const readHistory = (tab: Region): Valuation[] =>
  tab.getTable(['Year', 'RMV', 'MAV*', 'AV']).rows.flatMap((row) => {
    const year = readYear(row.text('Year'))
    const values = present<Omit<Valuation, 'year'>>({
      total: readMoney(row.text('RMV')),
      assessed: readMoney(row.text('AV')),
    })
    return year === undefined || Object.keys(values).length === 0 ? [] : [{ year, ...values }]
  })

/** It is not known what the tab shows without sales, so a tab without a table proves nothing. */
const readSales = (tab: Region): Sale[] | undefined =>
  tab.find('table') === undefined
    ? undefined
    : tab
        .getTable(['Sales Date', 'Year/Doc ID', 'Doc Type', 'Total Sales Price', 'Grantor', 'Grantee'])
        .rows.map((row) =>
          present<Sale>({
            sold_on: readDate(row.text('Sales Date')),
            price: readMoney(row.text('Total Sales Price')),
            deed_type: readText(row.text('Doc Type')),
            grantor: readName(row.text('Grantor')),
            grantee: readName(row.text('Grantee')),
            document_number: readRecordingNumber(row.text('Year/Doc ID')),
          }),
        )

const readImprovements = (account: Region): Improvement[] | undefined =>
  account.findTable(['Bldg #', 'Year Built', 'Description', 'Livable Size'])?.rows.map((row) =>
    present<Improvement>({
      number: readText(row.text('Bldg #')),
      description: readText(row.text('Description')),
      year_built: readYear(row.text('Year Built')),
      living_area_sq_ft: readSquareFeet(row.text('Livable Size')),
    }),
  )

const readAsOf = (documents: readonly RawDocument[]): string | undefined =>
  documents.some(({ name }) => name === 'calculator')
    ? readDate(readPage(documents, 'calculator').getBeside('As of Date').text)
    : undefined

/** Receipts have numbers, too, but no cents. */
const readAmount = (text: string): number | undefined => (/\$|\.\d\d$/.test(text) ? readMoney(text) : undefined)

/** Payments by year. The headings are unknown, so each column must be the only one with its kind of value. */
const readPayments = (documents: readonly RawDocument[]): Statement[] | undefined => {
  if (!documents.some(({ name }) => name === 'payments')) return undefined
  const table = readPage(documents, 'payments').get('#payment-history', 'Payment History')
  const payments = table.all('tbody tr').map((row) => {
    const texts = row.all('td').map(({ text }) => text)
    const only = <Value>(read: (text: string) => Value | undefined): Value => {
      const [value, ...others] = texts.flatMap((text) => read(text) ?? [])
      if (value !== undefined && others.length === 0) return value
      throw new ScrapeError(
        'page_changed',
        `a row of "Payment History" does not have one year, date and amount: "${row.text}"`,
      )
    }
    return { year: only(readYear), date: only(readDate), amount: only(readAmount) }
  })
  const years = [...new Set(payments.map(({ year }) => year))].sort((one, other) => other - one)
  return years.map((year) => {
    const paid = payments.filter((payment) => payment.year === year)
    return {
      tax_year: year,
      paid: paid.reduce((sum, { amount }) => sum + amount, 0),
      ...present<Pick<Statement, 'paid_on'>>({
        paid_on: paid
          .map(({ date }) => date)
          .sort()
          .at(-1),
      }),
    }
  })
}

import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/read-page'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { wordsOf } from '../../reading/text'
import { present, readDate, readMoney, readMoneyTotal, readName, readText, readYear } from '../../reading/values'
import type { Scrape, Statement } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import { findAccountInLinks } from '../../sessions/eagleweb'
import type { Config } from './config'
import { readAccountPage } from './fetch'

/** An account's page, and the page of its transactions. */
export const parseAccount = (documents: readonly RawDocument[], _target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readAccountPage(documents)
  const document = documentNamed(documents, 'account')
  const summary = page.get('#taxAccountSummary', 'taxAccountSummary')
  // Some portals show no parcel number (Summit, UT). The account is enough where it is the source's id.
  const parcelNumber =
    (config.parcel_id === 'parcel' ? getRow(summary, PARCEL) : findRow(summary, PARCEL))?.value.text ?? ''
  const account = findAccountInLinks(page.get('#accountLinks', 'accountLinks'), 'account')
  if (account === undefined) throw new ScrapeError('page_changed', 'no link to an account under "accountLinks"')

  const owners = readOwners(summary)
  const [owner] = owners
  const statements = readStatements(documents)
  return {
    shownIds: [config.parcel_id === 'parcel' ? parcelNumber : account],
    fields: present<ParcelFields>({
      situsAddress: readText(getRow(summary, SITUS).value.lines[0]),
      ownerName: owner,
      ownerNamesAll: owner === undefined ? undefined : owners,
    }),
    scrape: {
      parcel_number: parcelNumber === '' ? account : parcelNumber,
      ...stampOf(document),
      ...asOf(document, { years: statements.map(({ tax_year }) => tax_year) }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owner,
        owners: owner === undefined ? undefined : owners.map((name) => ({ name })),
        statements,
      }),
    },
  }
}

/** Rows of the account's summary, by the beginning of their label: counties write "Parcel Number", "Situs Address". */
const PARCEL = { name: 'Parcel', label: /^parcel\b/i }
const OWNERS = { name: 'Owners', label: /^owners?\b/i }
const SITUS = { name: 'Situs', label: /^situs\b/i }

interface SummaryRow {
  label: string
  /** The last cell. */
  value: Region
}

/** The rows with text. A cell without a neighbor has no label. */
const rowsOf = (summary: Region): SummaryRow[] =>
  summary.all('tr').flatMap((row) => {
    const cells = row.all('td, th')
    const value = cells.at(-1)
    if (value === undefined || row.text === '') return []
    return [{ label: cells.length > 1 ? (cells[0] as Region).text : '', value }]
  })

const findRow = (summary: Region, { label }: typeof PARCEL): SummaryRow | undefined =>
  rowsOf(summary).find((row) => label.test(row.label))

const getRow = (summary: Region, row: typeof PARCEL): SummaryRow => {
  const found = findRow(summary, row)
  if (found === undefined) throw new ScrapeError('page_changed', `no "${row.name}" under "${summary.name}"`)
  return found
}

/** Rows without a label continue the owners (Arizona, Utah). */
const readOwners = (summary: Region): string[] => {
  getRow(summary, OWNERS)
  const rows = rowsOf(summary)
  const start = rows.findIndex(({ label }) => OWNERS.label.test(label))
  const end = rows.findIndex(({ label }, index) => index > start && label !== '')
  const cells = rows.slice(start, end === -1 ? undefined : end).map(({ value }) => value)
  return cells.flatMap(({ lines }) => lines.flatMap((line) => readName(line) ?? []))
}

/** Names of the two kinds of transactions that are read. Penalty payments are not part of the tax. */
const CHARGE = 'tax charge'
const PAYMENT = 'tax payment'

/** The amounts billed and paid per year, from the transactions, and the amount due, from the summary. */
const readStatements = (documents: readonly RawDocument[]): Statement[] => {
  const page = readPage(documents, 'transactions')
  const [summary, transactions] = page.get('#middle', 'middle').all('table.account')
  if (summary === undefined || transactions === undefined) {
    throw new ScrapeError('page_changed', 'no "account" tables, of years and of transactions, on the transactions page')
  }
  const due = new Map(readYears(summary).map(({ year, cells }) => [year, readMoney(cells.at(-1)?.text)]))
  const entries = readYears(transactions).map(({ year, cells: [, type, date, amount] }) => ({
    year,
    type: wordsOf(type?.text ?? ''),
    on: readDate(date?.text),
    amount: amount?.text,
  }))
  const read = entries.filter(({ type }) => type === CHARGE || type === PAYMENT)
  const years = [...new Set([...due.keys(), ...read.map(({ year }) => year)])].sort((one, other) => other - one)
  return years.map((year) => {
    const ofYear = (kind: string) => read.filter((entry) => entry.year === year && entry.type === kind)
    const payments = ofYear(PAYMENT)
    const paid = readMoneyTotal(payments.map(({ amount }) => amount))
    return {
      tax_year: year,
      ...present<Omit<Statement, 'tax_year'>>({
        billed: readMoneyTotal(ofYear(CHARGE).map(({ amount }) => amount)),
        due: due.get(year),
        // Payments may be shown as negative amounts.
        paid: paid === undefined ? undefined : Math.abs(paid),
        paid_on: payments
          .flatMap(({ on }) => on ?? [])
          .sort()
          .at(-1),
      }),
    }
  })
}

const NO_ROWS = /^nothing found to display\.?$/i
const TOTALS = /^(?:grand )?totals?\b|^$/i

/**
 * The rows of the years. Cells are identified by position, so a row must be as long as the headings.
 *
 * @throws ScrapeError `page_changed` naming a row that is shorter, or that does not begin with a year or "Total"
 */
const readYears = (table: Region): { year: number; cells: Region[] }[] => {
  const headings = table.all('th').length
  const rows = table
    .all('tr')
    .map((row) => row.all('td'))
    .filter(([first, ...others]) => first !== undefined && !(others.length === 0 && NO_ROWS.test(first.text)))
  return rows.flatMap((cells) => {
    if (cells.length !== headings) {
      throw new ScrapeError('page_changed', `a row of ${cells.length} cells under ${headings} headings ("account")`)
    }
    const words = cells[0]?.text ?? ''
    const year = readYear(words)
    if (year !== undefined) return [{ year, cells }]
    if (TOTALS.test(words)) return []
    throw new ScrapeError('page_changed', `a row of "account" begins with "${words}" instead of a year`)
  })
}

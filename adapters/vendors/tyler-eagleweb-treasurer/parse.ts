import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import { noteWarning } from '../../reading/page/reading-report'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { wordsOf } from '../../reading/text'
import { present, readLastDate, readMoney, readMoneyTotal, readName, readText, readYear } from '../../reading/values'
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
  // Some portals show no parcel number (Summit, UT). The account is enough if it is the source's id.
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

/** The rows with text. A single cell has no label. A cell that spans the table is a notice. */
const rowsOf = (summary: Region): SummaryRow[] =>
  summary.all('tr').flatMap((row) => {
    const cells = row.all('td, th')
    const value = cells.at(-1)
    const isNotice = cells.length === 1 && value?.attribute('colspan') !== undefined
    if (value === undefined || row.text === '' || isNotice) return []
    return [{ label: cells.length > 1 ? (cells[0] as Region).text : '', value }]
  })

const findRow = (summary: Region, { label }: typeof PARCEL): SummaryRow | undefined =>
  rowsOf(summary).find((row) => label.test(row.label))

const getRow = (summary: Region, row: typeof PARCEL): SummaryRow => {
  const found = findRow(summary, row)
  if (found === undefined) throw new ScrapeError('page_changed', `no "${row.name}" under "${summary.name}"`)
  return found
}

/** Rows without a label, or with the same one, continue the owners (Arizona, Utah). */
const readOwners = (summary: Region): string[] => {
  getRow(summary, OWNERS)
  const rows = rowsOf(summary)
  const start = rows.findIndex(({ label }) => OWNERS.label.test(label))
  const end = rows.findIndex(({ label }, index) => index > start && label !== '' && label !== rows[start]?.label)
  const cells = rows.slice(start, end === -1 ? undefined : end).map(({ value }) => value)
  if (cells.length > 1 && cells[0]?.text === '') {
    throw new ScrapeError('page_changed', `no value beside "${OWNERS.name}", but texts below it that have no label`)
  }
  return cells.flatMap(({ lines }) => lines.flatMap((line) => readName(line) ?? []))
}

/** Names of the two kinds of transactions that are read. Penalty payments are not part of the tax. */
const CHARGE = 'tax charge'
const PAYMENT = 'tax payment'

/** The exact headings are not known. */
const YEAR = /^(?:tax )?year\b/
const YEARS = { year: YEAR, due: /\btotal\b/ }
const TRANSACTIONS = { year: YEAR, type: /\btype\b/, date: /\bdate\b/, amount: /\bamount\b/ }

/** "Tax Payment Reversal", "Tax Refund": changes what was billed or paid, in a way that is not known. */
const isCorrection = ({ type }: { type: string }): boolean =>
  /\btax\b/.test(type) && type !== CHARGE && type !== PAYMENT

/** The amounts billed and paid per year, from the transactions, and the amount due, from the summary. */
const readStatements = (documents: readonly RawDocument[]): Statement[] => {
  const page = readPage(documents, 'transactions')
  const tables = page.get('#middle', 'middle').all('table.account', 'account')
  const [transactions, ...others] = tables.filter((table) =>
    TRANSACTIONS.type.test(wordsOf(table.find('tr')?.text ?? '')),
  )
  const summary = tables.find((table) => table !== transactions)
  if (summary === undefined || transactions === undefined || others.length > 0) {
    throw new ScrapeError('page_changed', 'no "account" tables, of years and of transactions, on the transactions page')
  }
  const balances = Map.groupBy(readYears(summary, YEARS), ({ year }) => year)
  const due = new Map([...balances].map(([year, rows]) => [year, readDue(rows.map(({ text }) => text('due')))]))
  const entries = readYears(transactions, TRANSACTIONS).map(({ year, text }) => ({
    year,
    type: wordsOf(text('type') ?? ''),
    on: text('date'),
    amount: text('amount'),
  }))
  if (entries.some(({ type }) => type === '')) throw new ScrapeError('page_changed', 'a transaction without its type')
  const read = entries.filter(({ type }) => type === CHARGE || type === PAYMENT)
  const corrected = new Set(entries.filter(isCorrection).map(({ year }) => year))
  if (corrected.size > 0) noteWarning('a year has corrections of its tax, so its charges and payments were left out')
  const years = [...new Set([...due.keys(), ...read.map(({ year }) => year)])].sort((one, other) => other - one)
  return years.map((year) => {
    const ofYear = (kind: string) =>
      corrected.has(year) ? [] : read.filter((entry) => entry.year === year && entry.type === kind)
    const payments = ofYear(PAYMENT)
    const paid = readMoneyTotal(payments.map(({ amount }) => amount))
    return {
      tax_year: year,
      ...present<Omit<Statement, 'tax_year'>>({
        billed: readMoneyTotal(ofYear(CHARGE).map(({ amount }) => amount)),
        due: due.get(year),
        // Payments may be shown as negative amounts.
        paid: paid === undefined ? undefined : Math.abs(paid),
        paid_on: readLastDate(payments.map(({ on }) => on)),
      }),
    }
  })
}

/** Several balances of a year may be its parts, or a part and the whole. */
const readDue = ([balance, ...others]: readonly (string | undefined)[]): number | undefined => {
  if (others.length === 0) return readMoney(balance)
  noteWarning('a year has several balances, so its amount due was left out')
  return undefined
}

const TOTAL = /^(?:grand )?totals?\b/i
const AMOUNT_OR_BLANK = /^[-($\d.,)]*$/

/** A row of totals says so, or has only amounts. A transaction without a year would have a type or a date. */
const isTotals = (row: { cells: readonly { text: string }[] }, words: string): boolean =>
  TOTAL.test(words) || (words === '' && row.cells.every(({ text }) => TOTAL.test(text) || AMOUNT_OR_BLANK.test(text)))

/**
 * The rows of the years, with the text of a column.
 *
 * @throws ScrapeError `page_changed` when a heading is not known, or a row begins neither with a year nor with "Total"
 */
const readYears = <Name extends string>(table: Region, columns: Readonly<Record<Name | 'year', RegExp>>) => {
  const { rows, cell } = table.getTableLike(columns, Object.keys(columns) as (Name | 'year')[])
  return [...rows].flatMap((row) => {
    const words = cell(row, 'year')?.text ?? ''
    const year = readYear(words)
    if (year !== undefined) return [{ year, text: (name: Name) => cell(row, name)?.text }]
    if (isTotals(row, words)) return []
    throw new ScrapeError('page_changed', `a row of "account" begins with "${words}" instead of a year`)
  })
}

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

/** An account's page, and the page of its transactions. */
export const parseAccount = (documents: readonly RawDocument[], _target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'account')
  const document = documentNamed(documents, 'account')
  const summary = page.get('#taxAccountSummary', 'taxAccountSummary')
  const parcelNumber = getRow(summary, /^parcel\b/i, 'Parcel').text
  const account = findAccountInLinks(page.get('#accountLinks', 'accountLinks'), 'account')
  if (account === undefined) throw new ScrapeError('page_changed', 'no link to an account under "accountLinks"')

  const owners = getRow(summary, /^owners?\b/i, 'Owners').lines.flatMap((line) => readName(line) ?? [])
  const [owner] = owners
  const statements = readStatements(documents)
  return {
    shownIds: [config.parcel_id === 'parcel' ? parcelNumber : account],
    fields: present<ParcelFields>({
      situsAddress: readText(getRow(summary, /^situs\b/i, 'Situs').lines[0]),
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

/** The last cell of the row whose label begins this way: counties write "Parcel Number", "Situs Address". */
const getRow = (summary: Region, label: RegExp, name: string): Region => {
  for (const row of summary.all('tr')) {
    const [first, ...others] = row.all('td, th')
    const last = others.at(-1)
    if (first !== undefined && last !== undefined && label.test(first.text)) return last
  }
  throw new ScrapeError('page_changed', `no "${name}" under "${summary.name}"`)
}

/** The amount paid per year, from the transactions, and the amount due, from the summary. */
const readStatements = (documents: readonly RawDocument[]): Statement[] => {
  const page = readPage(documents, 'transactions')
  const [summary, transactions] = page.get('#middle', 'middle').all('table.account')
  if (summary === undefined || transactions === undefined) {
    throw new ScrapeError('page_changed', 'no "account" tables, of years and of transactions, on the transactions page')
  }
  const due = new Map<number, number>()
  for (const cells of rowsByYear(summary)) {
    const amount = readMoney(cells.at(-1)?.text)
    const year = readYear(cells[0]?.text)
    if (year !== undefined && amount !== undefined) due.set(year, amount)
  }
  const payments = new Map<number, { amount: string; on: string | undefined }[]>()
  for (const [yearCell, type, date, amount] of rowsByYear(transactions)) {
    const year = readYear(yearCell?.text)
    if (year === undefined || wordsOf(type?.text ?? '') !== 'tax payment') continue
    const others = payments.get(year) ?? []
    payments.set(year, [...others, { amount: amount?.text ?? '', on: readDate(date?.text) }])
  }
  const years = [...new Set([...due.keys(), ...payments.keys()])].sort((one, other) => other - one)
  return years.map((year) => {
    const paid = payments.get(year) ?? []
    const total = readMoneyTotal(paid.map(({ amount }) => amount))
    return {
      tax_year: year,
      ...present<Omit<Statement, 'tax_year'>>({
        due: due.get(year),
        // Payments may be shown as negative amounts.
        paid: total === undefined ? undefined : Math.abs(total),
        paid_on: paid
          .flatMap(({ on }) => on ?? [])
          .sort()
          .at(-1),
      }),
    }
  })
}

/**
 * The rows that begin with a year. Cells are identified by position, so a row must be as long as the headings.
 *
 * @throws ScrapeError `page_changed`
 */
const rowsByYear = (table: Region): Region[][] => {
  const headings = table.all('th').length
  const rows = table
    .all('tr')
    .map((row) => row.all('td'))
    .filter((cells) => cells.length > 0)
  const ragged = rows.find((cells) => cells.length !== headings)
  if (ragged !== undefined) {
    throw new ScrapeError('page_changed', `a row of ${ragged.length} cells under ${headings} headings ("account")`)
  }
  return rows.filter(([first]) => readYear(first?.text) !== undefined)
}

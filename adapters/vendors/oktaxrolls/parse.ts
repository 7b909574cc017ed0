import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { bestMatch } from '../../reading/best-match'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import { noteWarning } from '../../reading/page/reading-report'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { findColumns } from '../../reading/tables/find-columns'
import { taxStatus } from '../../reading/tax-status'
import { present, readAddressBelow, readLastDate, readMoney, readName } from '../../reading/values'
import type { Scrape, Statement } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { type ListedStatement, listStatements } from './fetch'

/** The list of an account's statements, and the pages of the newest ones. */
export const parseStatements = (
  documents: readonly RawDocument[],
  target: ScrapeTarget,
  config: Config,
): ReadParcel => {
  const listed = listStatements(documents, target).slice(0, config.years)
  const [account] = listed as [ListedStatement]
  const pages = listed.map(({ year }) => ({ year, page: readPage(documents, `statement-${year}`) }))
  const [newest] = pages as [(typeof pages)[number]]
  const { owner, address } = readOwner(newest.page, newest.year)
  const assessed = readAssessed(newest.page, config)
  const document = documentNamed(documents, `statement-${newest.year}`)
  return {
    shownIds: listed.map((statement) => statement.account),
    fields: present<ParcelFields>({
      ownerName: owner,
      ownerNamesAll: owner === undefined ? undefined : [owner],
      ownerMailingAddress: address,
      assessedValue: assessed,
    }),
    scrape: {
      parcel_number: account.account,
      // Each year has its own page, so the validators of one do not apply to the next.
      fetched_at: stampOf(document).fetched_at,
      ...asOf(document, { years: listed.map(({ year }) => year) }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owner,
        owners: owner === undefined ? undefined : [{ name: owner }],
        statements: isComplete(listed) ? pages.map(({ page, year }) => readStatement(page, year)) : undefined,
        valuation_history: assessed === undefined ? undefined : [{ year: newest.year, assessed }],
      }),
    },
  }
}

/** Another statement of a year may be an addition to the first one, or replace it. */
const isComplete = (listed: readonly ListedStatement[]): boolean => {
  const isKnown = listed.every(({ isOnlyOfYear, isListWhole }) => isOnlyOfYear && isListWhole)
  if (!isKnown) noteWarning('a year has several statements, or the list is not whole, so the statements were left out')
  return isKnown
}

/** Owner and address, line by line, in the first part of the page, with the year beside them. */
const readOwner = (page: Region, year: number) => {
  const first = page.get('.ownerdetail-section', 'ownerdetail-section')
  if (!first.get('ul', 'year').says(new RegExp(`\\b${year}\\b`))) {
    throw new ScrapeError('page_changed', `no "${year}" beside the owner, on the statement-${year} page`)
  }
  const { lines } = first.get('.detail-cont p', 'detail-cont')
  const address = readAddressBelow(lines.slice(1))
  if (address === undefined && lines.length > 1)
    noteWarning('the line below the owner may be another owner, so the address was left out')
  return { owner: readName(lines[0]), address }
}

const lastSection = (page: Region): Region => {
  const section = page.all('.ownerdetail-section', 'tax and payments').at(-1)
  return section ?? page.get('.ownerdetail-section', 'ownerdetail-section')
}

const readStatement = (page: Region, year: number): Statement => {
  const amounts = readAmounts(lastSection(page))
  const payments = page
    .find('.table-tax-data')
    ?.all('tr')
    .flatMap((row) => row.find('td')?.text ?? [])
  return {
    tax_year: year,
    ...present<Omit<Statement, 'tax_year'>>({
      ...amounts,
      paid_on: payments && readLastDate(payments),
      status: taxStatus(amounts),
    }),
  }
}

/** The portal's labels have these words and others: "Base Tax:". */
const AMOUNTS = { billed: 'Base', paid: 'Total Paid', due: 'Total Due' } as const

type Amounts = Pick<Statement, keyof typeof AMOUNTS>

/** The amounts are below headings or beside labels. It is not known which. */
const readAmounts = (section: Region): Amounts => {
  const below = readBelowHeadings(section)
  const read = (name: keyof Amounts) =>
    readMoney(below === undefined ? getValue(section, AMOUNTS[name]).text : below(name))
  return present<Amounts>({ billed: read('billed'), paid: read('paid'), due: read('due') })
}

/** The value may be blank beside the exact label, but not beside a similar one. */
const getValue = (region: Region, label: string): Region => region.findBeside(label) ?? region.getBesideLike(label)

/**
 * The only row of the table whose headings have all the labels, or its row of totals, if there is such a table. Of several rows without a
 * total, the last one is only a part.
 */
const readBelowHeadings = (section: Region): ((name: keyof Amounts) => string | undefined) | undefined => {
  for (const row of section.all('tr')) {
    const cells = row.all('td, th').flatMap(({ shortText }) => shortText ?? [])
    const [billed, paid, due] = Object.values(AMOUNTS).map((label) => bestMatch(label, cells))
    if (billed === undefined || paid === undefined || due === undefined) continue
    const headings = { billed, paid, due }
    const { rows } = section.getTable(Object.values(headings))
    const last = rows.at(-1)
    if (last === undefined) continue
    if (rows.length > 1 && !last.isTotal) {
      throw new ScrapeError('page_changed', `${rows.length} rows of amounts and no "Total" under "${section.name}"`)
    }
    return (name) => last.text(headings[name])
  }
  return undefined
}

/** The cell of the row below "Net", or the only one. */
const readAssessed = (page: Region, { assessed_label }: Config): number | undefined => {
  if (assessed_label === undefined) return undefined
  const section = lastSection(page)
  const table = section.all('table').find((candidate) => candidate.findCells(assessed_label) !== undefined)
  const headings = table?.all('tr')[0]?.all('td, th') ?? []
  const cells = (table ?? section).getCells(assessed_label, headings.length === 0 ? 1 : headings.length - 1)
  if (cells.length === 1) return readMoney(cells[0]?.text)
  const { net } = findColumns(
    headings.map(({ shortText }) => shortText),
    { net: /\bnet\b/ },
    section.name,
  )
  if (net === undefined) noteWarning(`no "Net" above "${assessed_label}", so the assessed value was left out`)
  return net === undefined ? undefined : readMoney(cells[net - 1]?.text)
}

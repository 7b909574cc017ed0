import { Type } from '@sinclair/typebox'
import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { expectParcel } from '../../reading/page/expect-parcel'
import { readPage } from '../../reading/page/read-page'
import { readJson } from '../../reading/read-json'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { wordsOf } from '../../reading/text'
import {
  present,
  readAddress,
  readDate,
  readLastDate,
  readMoneyTotal,
  readName,
  readText,
  readYear,
} from '../../reading/values'
import type { Scrape, Statement } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { readFoundAccount, textOfValue } from './found-account'
import { refuseOtherSkins } from './other-skins'

const scalar = Type.Unknown()
const column = Type.Object({ displayText: Type.String(), value: scalar })

const billsAnswer = Type.Object({
  sections: Type.Array(
    Type.Object({
      name: Type.String(),
      groups: Type.Array(
        Type.Object({
          tile: Type.Object({ fields: Type.Array(Type.Object({ value: scalar }), { minItems: 1 }) }),
          items: Type.Array(Type.Object({ columns: Type.Array(column) })),
        }),
      ),
    }),
  ),
})

const paymentsAnswer = Type.Object({
  groups: Type.Array(
    Type.Object({
      rows: Type.Array(Type.Object({ values: Type.Array(Type.Object({ column: Type.String(), value: scalar })) })),
    }),
  ),
})

/** Counties differ in which account number the page shows, and in its label. */
const NUMBER_LABELS = ['Property ID', 'PIN', 'Parcel/Identifier:', 'Account Number:']

/** An account: its search entry, its page, its bills and payments. */
export const parseAccount = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const found = readFoundAccount(documents, target, config)
  const page = readPage(documents, 'account')
  refuseOtherSkins(page)
  const summary = page.get('.ModPublicAccessPaymentsAccountSummaryC', 'account summary')
  const shown = readShownNumbers(summary)
  const [number] = shown
  if (number === undefined) {
    throw new ScrapeError('page_changed', `no "${NUMBER_LABELS.join('" or "')}" under "account summary"`)
  }
  const parcelNumber = found[config.parcel_field] ?? ''
  const known = Object.values(found)
  if (!shown.some((text) => known.includes(text))) expectParcel(number, parcelNumber)

  const owner = readName(getText(found, 'Owner'))
  const statements = readStatements(documents)
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      ownerName: owner,
      ownerNamesAll: owner === undefined ? undefined : [owner],
      ownerMailingAddress: readAddress(summary.findBeside('Mailing Address:')?.lines ?? []),
      situsAddress: readText(getText(found, 'Situs')),
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(documentNamed(documents, 'account')),
      ...asOf(documentNamed(documents, 'account'), { years: statements.map(({ tax_year }) => tax_year) }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owner,
        owners: owner === undefined ? undefined : [{ name: owner }],
        statements,
      }),
    },
  }
}

/**
 * The numbers beside the known labels, or else beside the only label that contains "parcel", whose words differ in California.
 *
 * @throws ScrapeError `page_changed` naming the labels when there are several of those
 */
const readShownNumbers = (summary: Region): string[] => {
  const known = NUMBER_LABELS.flatMap((label) => readText(readBeside(summary, label)) ?? [])
  if (known.length > 0) return known
  const similar = summary
    .all('.font-weight-bold')
    .map(({ text }) => text)
    .filter((text) => /\bparcel\b(?! address)/i.test(text))
  if (similar.length > 1) {
    throw new ScrapeError('page_changed', `"${similar.join('", "')}" under "account summary" may each be the number`)
  }
  return similar.flatMap((label) => readText(readBeside(summary, label)) ?? [])
}

/** The value is in the next element, or after its label in the same one. */
const readBeside = (summary: Region, label: string): string | undefined =>
  summary.findBeside(label)?.text ?? (label.endsWith(':') ? summary.findLine(label) : undefined)

const getText = (found: Readonly<Record<string, string>>, name: string): string => {
  const text = found[name]
  if (text === undefined) throw new ScrapeError('page_changed', `no "${name}" in the search response`)
  return text
}

/**
 * Combines the bills of a year into one statement. A year may appear in several sections (due, and in installments). The first one is
 * complete.
 */
const readStatements = (documents: readonly RawDocument[]): Statement[] => {
  const { sections } = readJson(documents, 'bills', billsAnswer)
  const payments = readPayments(documents)
  const statements = new Map<number, Statement>()
  for (const { name, groups } of sections) {
    const years = new Map<number, Map<string, string>[]>()
    for (const { tile, items } of groups) {
      const year = readYear(textOfValue(tile.fields[0]?.value))
      if (year === undefined)
        throw new ScrapeError('page_changed', `no year in a group of "${name}", in the bills response`)
      const bills = items.map(
        ({ columns }) => new Map(columns.map(({ displayText, value }) => [wordsOf(displayText), textOfValue(value)])),
      )
      years.set(year, [...(years.get(year) ?? []), ...bills])
    }
    for (const [year, bills] of years) {
      if (!statements.has(year)) statements.set(year, toStatement(year, bills, payments.get(year)))
    }
  }
  return [...statements.values()].sort((one, other) => other.tax_year - one.tax_year)
}

const toStatement = (year: number, bills: readonly Map<string, string>[], paidOn: string | undefined): Statement => {
  const due = readMoneyTotal(bills.map((bill) => [...bill].find(([name]) => name.startsWith('amount due'))?.[1]))
  const stand = new Set(bills.map((bill) => wordsOf(bill.get('status') ?? '')))
  const isPaid = stand.size === 1 && stand.has('paid')
  return {
    tax_year: year,
    ...present<Omit<Statement, 'tax_year'>>({
      billed: readMoneyTotal(bills.map((bill) => bill.get('total tax'))),
      paid: readMoneyTotal(bills.map((bill) => bill.get('paid'))),
      due,
      due_on: bills.length === 1 ? readDate(bills[0]?.get('date')) : undefined,
      paid_on: isPaid ? paidOn : undefined,
      status: isPaid ? 'paid' : stand.has('delinquent') ? 'delinquent' : undefined,
    }),
  }
}

/** The date of the last payment of each year. */
const readPayments = (documents: readonly RawDocument[]): Map<number | undefined, string | undefined> => {
  if (!documents.some(({ name }) => name === 'payments')) return new Map()
  const { groups } = readJson(documents, 'payments', paymentsAnswer)
  const rows = groups.flatMap((group) =>
    group.rows.map(({ values }) => new Map(values.map(({ column, value }) => [column, textOfValue(value)]))),
  )
  const years = Map.groupBy(rows, (row) => readYear(row.get('Year')))
  // A payment without its year may be the last one of any year.
  if (years.has(undefined)) return new Map()
  return new Map([...years].map(([year, ofYear]) => [year, readLastDate(ofYear.map((row) => row.get('Date_Paid')))]))
}

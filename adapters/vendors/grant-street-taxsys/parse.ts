import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import { noteWarning } from '../../reading/page/reading-report'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { wordsOf } from '../../reading/text'
import { present, readDate, readMoneyTotal, readNames, readText } from '../../reading/values'
import type { Scrape, Statement } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** An account's page: its parcel number, its address and its bills. */
export const parseAccount = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'account')
  const document = documentNamed(documents, 'account')
  const details = page.all('.account-detail')
  const parcelNumber =
    config.parcel_id === 'parcel'
      ? page.get('.account-detail .parcel a', 'parcel').text
      : readHeading(page, target.sourceParcelId)

  page.get('.account-detail .owner', 'owner')
  const owners = readNames(page.all('.account-detail .owner').map(({ text }) => text))
  // The other two have their own classes.
  const [place, ...others] = details.filter(
    (detail) =>
      detail.find('.value') !== undefined &&
      detail.find('.owner') === undefined &&
      detail.find('.parcel') === undefined,
  )
  if (place === undefined || others.length > 0) {
    throw new ScrapeError(
      'page_changed',
      `${others.length + (place === undefined ? 0 : 1)} addresses in "account-detail", not 1`,
    )
  }
  const statements = readStatements(page.get('#bill-history-content', 'bill history'))
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      ownerName: owners[0],
      ownerNamesAll: owners.length === 0 ? undefined : owners,
      situsAddress: readText(place.get('.value', 'address').text),
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, { years: (statements ?? []).map(({ tax_year }) => tax_year) }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owners[0],
        owners: owners.length === 0 ? undefined : owners.map((name) => ({ name })),
        statements,
      }),
    },
  }
}

/** The number in a heading, as written there: `Real Estate Account #R-0417`. */
const readHeading = (page: Region, asked: string): string => {
  const words = page.all('h1, h2, h3').flatMap(({ text }) => text.split(/[\s#:]+/))
  const keyOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()
  const numbers = words.filter((word) => /\d/.test(word))
  const [first] = numbers
  if (first === undefined) throw new ScrapeError('page_changed', 'no account number in a heading of the account page')
  return numbers.find((word) => keyOf(word) === keyOf(asked)) ?? first
}

interface Bill {
  year: number
  kind: string
  due: string
  status: string
  paid: string | undefined
  paidOn: string | undefined
}

/**
 * `2025 Annual bill`, `2025 Installment bill #1`: the bills of a year are one statement. Undefined, with a warning, when it is not known
 * which bills are.
 */
const readStatements = (section: Region): Statement[] | undefined => {
  const rows = section.all('tr.regular, tr.installment').map(readBill)
  const years = Map.groupBy(
    rows.filter((bill) => bill !== null && bill !== undefined),
    ({ year }) => year,
  )
  if (rows.includes(undefined) || ![...years.values()].every(areParts)) {
    noteWarning('it is not clear which bills are the tax of a year, so the statements were left out')
    return undefined
  }
  return [...years]
    .toSorted(([one], [other]) => other - one)
    .map(([year, ofYear]) => {
      const isPaid = ofYear.every(({ status }) => status === 'paid')
      const isUnpaid = ofYear.every(({ status }) => status === 'unpaid')
      const days = ofYear.flatMap(({ paidOn }) => paidOn ?? []).sort()
      return {
        tax_year: year,
        ...present<Omit<Statement, 'tax_year'>>({
          due: readMoneyTotal(ofYear.map(({ due }) => due)),
          paid: readMoneyTotal(ofYear.map(({ paid }) => paid)),
          paid_on: isPaid && days.length === ofYear.length ? days.at(-1) : undefined,
          status: isPaid ? 'paid' : isUnpaid ? 'unpaid' : undefined,
        }),
      }
    })
}

/** Of a year with such a bill, or with one kind of bill twice, it is not known which bills are its tax. */
const REPLACES_ANOTHER = /\b(?:corrected|amended|revised|adjusted|replacement)\b/

/** Bills that are parts of the year's tax: its installments, or its annual bill and supplemental ones. */
const areParts = (bills: readonly Bill[]): boolean => {
  const kinds = bills.map(({ kind }) => kind)
  const isMixed = kinds.some((kind) => kind.includes('installment')) && kinds.some((kind) => kind.startsWith('annual'))
  return (
    bills.length === 1 ||
    (!isMixed && new Set(kinds).size === kinds.length && !kinds.some((kind) => REPLACES_ANOTHER.test(kind)))
  )
}

/** Amount due, status with the amount paid, date. Null for other things (certificates). Undefined: it is not known what the row is. */
const readBill = (row: Region): Bill | null | undefined => {
  const name = readText(row.find('th')?.text)
  const [, year, kind] = /^(\d{4}) (.*\bbill\b.*)/i.exec(name ?? '') ?? []
  if (year === undefined || kind === undefined) return name === undefined || /^\d{4}\b/.test(name) ? undefined : null
  const cells = row.all('td')
  const [due, stand, day] = cells
  const status = stand?.find('.label')
  if (due === undefined || status === undefined || day === undefined) {
    throw new ScrapeError('page_changed', `"${name}" has no amount, status and day beside it`)
  }
  const paid = stand?.text.slice(status.text.length)
  return {
    year: Number(year),
    kind: wordsOf(kind),
    due: due.text,
    status: wordsOf(status.text),
    paid,
    paidOn: readDate(day.text),
  }
}

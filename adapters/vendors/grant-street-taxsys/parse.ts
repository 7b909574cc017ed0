import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { wordsOf } from '../../reading/text'
import { present, readDate, readMoney, readNames, readText } from '../../reading/values'
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
      ...asOf(document, { years: statements.map(({ tax_year }) => tax_year) }),
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
  due: number | undefined
  status: string
  paid: number | undefined
  paidOn: string | undefined
}

/** `2025 Annual bill`, `2025 Installment bill #1`: the bills of a year are one statement. */
const readStatements = (section: Region): Statement[] => {
  const bills = section.all('tr.regular, tr.installment').flatMap(readBill)
  const years = [...new Set(bills.map(({ year }) => year))].sort((one, other) => other - one)
  return years.map((year) => {
    const ofYear = bills.filter((bill) => bill.year === year)
    const isPaid = ofYear.every(({ status }) => status === 'paid')
    const isUnpaid = ofYear.every(({ status }) => status === 'unpaid')
    const days = ofYear.flatMap(({ paidOn }) => paidOn ?? []).sort()
    return {
      tax_year: year,
      ...present<Omit<Statement, 'tax_year'>>({
        due: sum(ofYear.map(({ due }) => due)),
        paid: sum(ofYear.map(({ paid }) => paid)),
        paid_on: isPaid && days.length === ofYear.length ? days.at(-1) : undefined,
        status: isPaid ? 'paid' : isUnpaid ? 'unpaid' : undefined,
      }),
    }
  })
}

/** Amount due, status with the amount paid, date. Rows of other things (certificates) are not bills. */
const readBill = (row: Region): Bill[] => {
  const name = row.find('th a')?.text
  const year = /^(\d{4}) .*\bbill\b/i.exec(name ?? '')?.[1]
  if (year === undefined) return []
  const cells = row.all('td')
  const [due, stand, day] = cells
  const status = stand?.find('.label')
  if (due === undefined || status === undefined || day === undefined) {
    throw new ScrapeError('page_changed', `"${name}" has no amount, status and day beside it`)
  }
  const paid = stand?.text.slice(status.text.length)
  return [
    {
      year: Number(year),
      due: readMoney(due.text),
      status: wordsOf(status.text),
      paid: readMoney(paid),
      paidOn: readDate(day.text),
    },
  ]
}

/** Undefined when one of them is undefined. */
const sum = (amounts: readonly (number | undefined)[]): number | undefined =>
  amounts.reduce((total, amount) => (total === undefined || amount === undefined ? undefined : total + amount), 0)

import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { getParcelNumberIn } from '../../reading/get-parcel-number-in'
import { readPage } from '../../reading/page/read-page'
import { saysNothingFound } from '../../reading/page/says-nothing-found'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { taxStatus } from '../../reading/tax-status'
import { wordsOf } from '../../reading/text'
import { present, readLastDate, readMoneyTotal, readText, readYear } from '../../reading/values'
import type { Statement } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** The taxes of one parcel and year. */
export const parseTaxes = (documents: readonly RawDocument[], target: ScrapeTarget, _: Config): ReadParcel => {
  const page = readPage(documents, 'taxes')
  const document = documentNamed(documents, 'taxes')
  if (page.find('#tabsContainer') === undefined && saysNothingFound(page)) {
    throw new ScrapeError('not_found', `the portal knows no parcel "${target.sourceParcelId}"`)
  }
  const heading = page.get('#tabsContainer .tab-content .row', 'tabsContainer')
  const parcelNumber = getParcelNumberIn(heading, target)
  const taxYear = getYear(heading)
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      situsAddress: readText(page.find('#h2tab2', 'h2tab2')?.findBeside('Address')?.lines[0]),
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, { years: [taxYear] }),
      statements: [{ tax_year: taxYear, ...readInstallments(page) }],
    },
  }
}

/** The one year above the tabs, in its own element. */
const getYear = (heading: Region): number => {
  const years = new Set(heading.all('*').flatMap(({ shortText }) => readYear(shortText) ?? []))
  const [year, ...others] = years
  if (year !== undefined && others.length === 0) return year
  throw new ScrapeError('page_changed', `${years.size} years under "tabsContainer", instead of one`)
}

/** Words of "Paid Status" for tax that was not paid in time. */
const LATE = ['late', 'delinquent']

/** Each installment is a separate list. Another list has the totals, such as "Total Balance". */
const readInstallments = (page: Region): Partial<Statement> => {
  const installments = page
    .get('#h2tab1', 'h2tab1')
    .all('dl', 'h2tab1')
    .filter((list) => list.findBeside('Paid Status') !== undefined || list.findBeside('Balance') !== undefined)
  if (installments.length === 0) {
    throw new ScrapeError('page_changed', 'no installments ("Paid Status", "Balance") under "h2tab1"')
  }
  const texts = (label: string) => installments.map((installment) => installment.getBeside(label).text)
  const states = texts('Paid Status').map(wordsOf)
  const isPaid = states.every((state) => state === 'paid')
  const amounts = present<Omit<Statement, 'tax_year'>>({
    billed: readMoneyTotal(texts('Total Due')),
    paid: readMoneyTotal(texts('Total Paid')),
    due: readMoneyTotal(texts('Balance')),
  })
  return {
    ...amounts,
    ...present<Omit<Statement, 'tax_year'>>({
      // An unpaid installment has "Delinq. Date" instead.
      paid_on: isPaid ? readLastDate(texts('Paid Date')) : undefined,
      status: statusOf(states, isPaid, amounts),
    }),
  }
}

const statusOf = (states: readonly string[], isPaid: boolean, amounts: Partial<Statement>): Statement['status'] => {
  if (states.some((state) => LATE.includes(state))) return 'delinquent'
  // An installment without such a word may be late.
  if (states.includes('')) return undefined
  return isPaid && (amounts.due ?? 0) <= 0 ? 'paid' : taxStatus(amounts)
}

import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { bestMatch } from '../../reading/best-match'
import { documentNamed } from '../../reading/document-named'
import { LabelledValues } from '../../reading/labelled-values'
import { readPage } from '../../reading/page/read-page'
import { noteWarning } from '../../reading/page/reading-report'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { taxStatus } from '../../reading/tax-status'
import { wordsOf } from '../../reading/text'
import {
  present,
  readAcres,
  readAddress,
  readAddressBelow,
  readDate,
  readMoney,
  readNames,
  readText,
  readYear,
} from '../../reading/values'
import type { Scrape, Statement, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** One parcel page, in either skin: both put labels beside values. */
export const parseParcel = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'parcel')
  const { labels } = config
  if (page.findBeside(labels.parcel_number) === undefined && page.says('No Results Found')) {
    throw new ScrapeError('not_found', `the portal knows no parcel "${target.sourceParcelId}"`)
  }
  const shownLabels = labelsOf(page)
  const values = new LabelledValues(page, [...Object.values(labels), ...shownLabels])
  const find = (label: string | undefined) => (label === undefined ? undefined : readText(values.find(label)?.text))
  // Some counties add words to these labels.
  const matchOf = (label: string) => bestMatch(label, shownLabels) ?? label
  const parcelNumber = values.get(matchOf(labels.parcel_number)).text

  const ownerLines = readOwnerLines(page, values, labels.owner)
  const owners = readNames(ownerLines.map(([name = '']) => name))
  const year = readYear(find(labels.tax_year))
  const assessed =
    readAssessed(page, config) ?? readMoney(find(labels.assessed_value && matchOf(labels.assessed_value)))
  const worth = present<Omit<Valuation, 'year'>>({ assessed, taxable: readMoney(find(labels.taxable)) })
  const statements = readStatements(page, config, { year, billed: readMoney(find(labels.total_tax)) })
  const document = documentNamed(documents, 'parcel')
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      ownerName: owners[0],
      ownerNamesAll: owners.length === 0 ? undefined : owners,
      ownerMailingAddress: readMailingAddress(ownerLines[0]?.slice(1) ?? []),
      situsAddress: readAddress(values.get(matchOf(labels.situs_address)).lines),
      landUseClass: find(labels.land_use_class),
      zoningCode: find(labels.zoning_code),
      acreage: readAcres(find(labels.acreage)),
      assessedValue: assessed,
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, { years: year === undefined ? statements.map(({ tax_year }) => tax_year) : [year] }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owners[0],
        owners: owners.length === 0 ? undefined : owners.map((name) => ({ name })),
        statements,
        valuation_history: year === undefined || Object.keys(worth).length === 0 ? undefined : [{ year, ...worth }],
      }),
    },
  }
}

/** The labels that have text. An element without text may be an empty value. */
const labelsOf = (page: Region): string[] =>
  page
    .all('.inner-label')
    .map(({ text }) => text)
    .filter((text) => text !== '')

/**
 * The lines of each owner: the name, and the address if it is below the name. Counties without the label have a panel of names,
 * where labels that contain "Owner" are beside names.
 *
 * @throws ScrapeError `page_changed` naming the label when there is neither
 */
const readOwnerLines = (page: Region, values: LabelledValues, label: string): string[][] => {
  const labelled = values.find(label)
  if (labelled !== undefined) return [labelled.lines]
  const names = page
    .all('[id^="Names"] .inner-label')
    .filter((name) => name.says('owner') && !name.says('address'))
    .flatMap((name) => name.findNext('*') ?? [])
  return names.length > 0 ? names.map(({ lines }) => lines) : [values.get(label).lines]
}

const readMailingAddress = (lines: readonly string[]): string | undefined => {
  const address = readAddressBelow(lines)
  if (address === undefined && lines.length > 0)
    noteWarning('the line below the owner may be another owner, so the address was left out')
  return address
}

/** The rows are levels of assessment; the year's total is the last cell. Undefined when there is no such row. */
const readAssessed = (page: Region, { assessed_row }: Config): number | undefined => {
  const table = page.findTable(['Level', 'Total'])
  const rows = table?.rows.filter((row) => wordsOf(row.text('Level') ?? '').includes(wordsOf(assessed_row))) ?? []
  const totals = new Set(rows.map((row) => row.text('Total')))
  if (totals.size > 1) {
    throw new ScrapeError('page_changed', `several rows contain "${assessed_row}" below "Level", and differ`)
  }
  return readMoney([...totals][0])
}

/** The years of the payment history, and the overview's figures for the year shown. */
const readStatements = (
  page: Region,
  { payments }: Config,
  shown: { year: number | undefined; billed: number | undefined },
): Statement[] => {
  const { rows } = page.getTable([payments.year, payments.billed, payments.paid, payments.due], {
    unless: /no payment/i,
  })
  const paid = rows.flatMap((row): Statement[] => {
    const tax_year = readTaxYear(row.text(payments.year))
    // A row of one installment.
    if (tax_year === undefined) return []
    const amounts = present<Pick<Statement, 'billed' | 'paid' | 'due'>>({
      billed: readMoney(row.text(payments.billed)),
      paid: readMoney(row.text(payments.paid)),
      due: readMoney(row.text(payments.due)),
    })
    const paid_on = payments.paid_on === undefined ? undefined : readDate(row.text(payments.paid_on))
    const status = taxStatus(amounts)
    return [{ tax_year, ...amounts, ...present<Pick<Statement, 'paid_on' | 'status'>>({ paid_on, status }) }]
  })
  const isShownPaid = paid.some(({ tax_year }) => tax_year === shown.year)
  const current =
    shown.year === undefined || shown.billed === undefined || isShownPaid
      ? []
      : [{ tax_year: shown.year, billed: shown.billed }]
  return [...current, ...paid].toSorted((one, other) => other.tax_year - one.tax_year)
}

/** `2024`, or `(2024 - 2025)`, a tax year that begins in 2024. */
const readTaxYear = (text: string | undefined): number | undefined =>
  readYear(/^\(?(\d{4})\s*-\s*\d{4}\)?$/.exec(text ?? '')?.[1] ?? text)

import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { getParcelNumberIn } from '../../reading/get-parcel-number-in'
import { expectParcel } from '../../reading/page/expect-parcel'
import { readPage } from '../../reading/page/read-page'
import { noteWarning } from '../../reading/page/reading-report'
import { saysNothingFound } from '../../reading/page/says-nothing-found'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { present, readMoney, readMoneyTotal, readName, readText, readYear } from '../../reading/values'
import type { Scrape, Statement, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** A parcel's page and, unless the county has none, its tax page. */
export const parseParcel = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'parcel')
  const document = documentNamed(documents, 'parcel')
  const parcelNumber = getParcelNumberIn(getInfo(page, target), target)
  const owners = readOwners(page)
  const values = readValues(page)
  const statements = config.tax ? readStatements(documents, target) : undefined
  const location = page.get('.parcel-detail', 'parcel-detail').getBeside('Location')
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      situsAddress: readText(location.lines[0]),
      ownerName: owners[0],
      ownerNamesAll: owners.length === 0 ? undefined : owners,
      valueLand: values.land,
      assessedValue: values.assessed,
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, { years: [values.year, ...(statements ?? []).map(({ tax_year }) => tax_year)] }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owners[0],
        owners: owners.length === 0 ? undefined : owners.map((name) => ({ name })),
        valuation_history: toHistory(values),
        statements,
      }),
    },
  }
}

const getInfo = (page: Region, { sourceParcelId }: ScrapeTarget): Region => {
  const info = page.find('section.parcel-info', 'parcel-info')
  if (info !== undefined) return info
  if (saysNothingFound(page)) throw new ScrapeError('not_found', `the portal knows no parcel "${sourceParcelId}"`)
  throw new ScrapeError('page_changed', `no "parcel-info" on the ${page.name} page`)
}

/** One name per line; the address is a separate paragraph. */
const readOwners = (page: Region): string[] => {
  const owners = page.get('.ownership div', 'ownership')
  const address = new Set(owners.all('p').flatMap(({ lines }) => lines))
  return owners.lines.filter((line) => !address.has(line)).flatMap((line) => readName(line) ?? [])
}

interface Values {
  year: number | undefined
  land: number | undefined
  assessed: number | undefined
  taxable: number | undefined
}

/** One row per kind of value, one column per year. The latest counts. Several columns without years are ignored. */
const readValues = (page: Region): Values => {
  const table = page.get('.value-summary table.grid-transposed', 'value-summary')
  const labels = ['Total Land Value', 'Net Assessed Value', 'Taxable Value']
  const [land, assessed, taxable] = labels.map((label) => table.findCells(label))
  const width = Math.max(...table.all('tr').map((row) => row.all('th, td').length))
  for (const [index, cells] of [land, assessed, taxable].entries()) {
    if (cells === undefined) throw new ScrapeError('page_changed', `no "${labels[index]}" under "value-summary"`)
    // If the label is not the first cell, or a row has fewer cells, the first amount may be of another year.
    if (cells.length !== width - 1) {
      throw new ScrapeError('page_changed', `"${labels[index]}" has ${cells.length} cells, not ${width - 1}`)
    }
  }
  const years = table.all('tr').map((row) => row.all('th, td').flatMap(({ text }) => readYear(text.slice(0, 4)) ?? []))
  const headings = years.find((row) => row.length === land?.length)
  const newest = Math.max(...(headings ?? []))
  const hasNewestTwice = headings !== undefined && headings.indexOf(newest) !== headings.lastIndexOf(newest)
  if (hasNewestTwice || (headings === undefined && land !== undefined && land.length > 1)) {
    noteWarning('the values have several columns that years do not tell apart, so they were left out')
    return { year: undefined, land: undefined, assessed: undefined, taxable: undefined }
  }
  const latest = headings === undefined ? 0 : headings.indexOf(newest)
  return {
    year: headings?.[latest],
    land: readMoney(land?.[latest]?.text),
    assessed: readMoney(assessed?.[latest]?.text),
    taxable: readMoney(taxable?.[latest]?.text),
  }
}

/** Values without a year are not part of the history. */
const toHistory = ({ year, ...values }: Values): Valuation[] | undefined => {
  const { land, assessed, taxable } = values
  const known = present<Omit<Valuation, 'year'>>({ land, assessed, taxable })
  return year === undefined || Object.keys(known).length === 0 ? undefined : [{ year, ...known }]
}

/** The current year, which the description names: `2025/2026 Secured Property Tax`. */
const readStatements = (documents: readonly RawDocument[], target: ScrapeTarget): Statement[] | undefined => {
  const page = readPage(documents, 'tax')
  if (page.says('No tax record found')) {
    const [, account] = /\bfor account id ([\w-]+)/i.exec(page.text) ?? []
    if (account !== undefined) expectParcel(account, target.overrides.vendorKey ?? target.sourceParcelId)
    return []
  }
  const current = page.get('section.tax-current_yr', 'tax-current_yr')
  if (page.all('section.tax-current_yr').length > 1) {
    noteWarning('there are several bills of the current year, so the statement was left out')
    return undefined
  }
  const summary = current.get('table.grid-1d', 'grid-1d')
  const year = readYear(/\b(\d{4})\b/.exec(summary.getBeside('Description').text)?.[1])
  if (year === undefined) return undefined
  const billed = readMoney(summary.getBeside('Original').text)
  const due = readMoney(summary.getBeside('Balance').text)
  const paid = readMoneyTotal(readPayments(current))
  return [{ tax_year: year, ...present<Omit<Statement, 'tax_year'>>({ billed, due, paid }) }]
}

/** The amounts paid for the installments. Undefined: there are none. */
const readPayments = (current: Region): (string | undefined)[] => {
  const table = current.find('.installments table.grid2', 'installments')
  if (table === undefined) return []
  const { rows, cell } = table.getTableLike({ paid: /^(?:amount |total )?paid$/ }, ['paid'])
  return rows.map((row) => cell(row, 'paid')?.text)
}

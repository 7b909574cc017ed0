import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/read-page'
import type { Region, Row } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { taxStatus } from '../../reading/tax-status'
import {
  present,
  readAcres,
  readAddress,
  readDate,
  readMoney,
  readName,
  readSquareFeet,
  readText,
  readYear,
} from '../../reading/values'
import type { Improvement, Sale, Scrape, Statement, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config, Place } from './config'
import { Datalets } from './datalet'

const NOTHING_FOUND = /did not find any records|no records? (?:were )?found|invalid parcel/i

/** The datalets of one parcel. */
export const parseDatalets = (documents: readonly RawDocument[], _target: ScrapeTarget, config: Config): ReadParcel => {
  const names = config.modes.map((mode) => `datalet-${mode}`)
  const pages = names.map((name) => readPage(documents, name))
  const [page] = pages as [Region]
  const header = readHeader(page)

  const datalets = new Datalets(pages)
  const { fields } = config
  const text = (place: Place | undefined) => place && readText(datalets.getText(place))
  const owners = (fields.owner_names?.flatMap((place) => datalets.getLines(place)) ?? [header.owner]).flatMap(
    (name) => readName(name) ?? [],
  )
  const building = present<Improvement>({
    year_built: readYear(text(fields.year_built)),
    living_area_sq_ft: readSquareFeet(text(fields.living_area_sq_ft)),
  })
  const year = ['hdTaxYear', 'hdXTaxYr'].flatMap(
    (id) => readYear(page.find(`[id$="${id}"]`)?.attribute('value')) ?? [],
  )[0]
  const document = documentNamed(documents, names[0] as string)
  return {
    shownIds: pages.map(pinOf),
    fields: present<ParcelFields>({
      ownerName: owners[0],
      ownerNamesAll: owners.length === 0 ? undefined : owners,
      ownerMailingAddress: readAddress(
        (fields.owner_mailing_address ?? []).flatMap((place) => datalets.getLines(place)),
      ),
      situsAddress: fields.situs_address === undefined ? readText(header.situs) : text(fields.situs_address),
      landUseClass: text(fields.land_use_class),
      zoningCode: text(fields.zoning_code),
      acreage: readAcres(text(fields.acreage)),
      valueLand: readMoney(text(fields.value_land)),
      valueImprovement: readMoney(text(fields.value_improvement)),
      assessedValue: readMoney(text(fields.assessed_value)),
    }),
    scrape: {
      parcel_number: pinOf(page),
      // There are several pages, so the validators of one do not apply to the others.
      fetched_at: stampOf(document).fetched_at,
      ...asOf(document, { footer: readDate(page.find('[id$="lbLastUpdate"]')?.text), years: [year] }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owners[0],
        owners: owners.length === 0 ? undefined : owners.map((name) => ({ name })),
        sale_history: config.sales && readSales(datalets, config.sales),
        valuation_history: config.valuations && readValuations(datalets, config.valuations),
        statements: config.statements && readStatements(datalets, config.statements),
        improvements: Object.keys(building).length === 0 ? undefined : [building],
      }),
    },
  }
}

/** The owner is on the left, the address on the right. A notice with status 200 has no such header. */
const readHeader = (page: Region): { owner: string; situs: string } => {
  const cells = page.all('td.DataletHeaderBottom')
  if (cells.length === 0 && page.says(NOTHING_FOUND)) {
    throw new ScrapeError('not_found', 'the portal has no such parcel')
  }
  const [owner, situs, ...others] = cells
  if (owner === undefined || situs === undefined || others.length > 0) {
    throw new ScrapeError(
      'page_changed',
      `DataletHeaderBottom is ${cells.length} times on the ${page.name} page, not twice`,
    )
  }
  return { owner: owner.text, situs: situs.text }
}

const pinOf = (page: Region): string => page.get('#hdPin', 'hdPin').attribute('value') ?? ''

type TableOf<Name extends 'sales' | 'valuations' | 'statements'> = NonNullable<Config[Name]>

/** The rows below the configured headings, each cell keyed by its field. */
const readRows = (datalets: Datalets, { table, none, ...headings }: Record<string, string | undefined>) => {
  const names = Object.values(headings).filter((name) => name !== undefined)
  const { rows } = datalets.getTable(table as string).getTable(names, none === undefined ? {} : { unless: none })
  return rows.map((row: Row) => (name: string) => {
    const heading = headings[name]
    return heading === undefined ? undefined : row.text(heading)
  })
}

const readSales = (datalets: Datalets, table: TableOf<'sales'>): Sale[] =>
  readRows(datalets, table)
    .map((text) =>
      present<Sale>({
        sold_on: readDate(text('sold_on')),
        price: readMoney(text('price')),
        deed_type: readText(text('deed_type')),
        grantor: readName(text('grantor')),
        grantee: readName(text('grantee')),
        document_number: readText(text('document_number')),
        book: readText(text('book')),
        page: readText(text('page')),
      }),
    )
    .filter((sale) => Object.keys(sale).length > 0)
    // Some counties list the oldest first.
    .toSorted((one, other) => (other.sold_on ?? '').localeCompare(one.sold_on ?? ''))

const readValuations = (datalets: Datalets, table: TableOf<'valuations'>): Valuation[] =>
  readRows(datalets, table)
    .flatMap((text) => {
      const year = readYear(text('year'))
      if (year === undefined) return []
      const money = (name: string) => readMoney(text(name))
      const values = { land: money('land'), improvement: money('improvement'), total: money('total') }
      return {
        year,
        ...present<Omit<Valuation, 'year'>>({ ...values, assessed: money('assessed'), taxable: money('taxable') }),
      }
    })
    .toSorted((one, other) => other.year - one.year)

const readStatements = (datalets: Datalets, table: TableOf<'statements'>): Statement[] =>
  readRows(datalets, table)
    .flatMap((text) => {
      const tax_year = readYear(text('tax_year'))
      if (tax_year === undefined) return []
      const amounts = present<Pick<Statement, 'billed' | 'paid' | 'due'>>({
        billed: readMoney(text('billed')),
        paid: readMoney(text('paid')),
        due: readMoney(text('due')),
      })
      const rest = { paid_on: readDate(text('paid_on')), status: taxStatus(amounts) }
      return { tax_year, ...amounts, ...present<Pick<Statement, 'paid_on' | 'status'>>(rest) }
    })
    .toSorted((one, other) => other.tax_year - one.tax_year)

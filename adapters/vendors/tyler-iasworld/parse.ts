import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import { noteCombined, noteWarning } from '../../reading/page/reading-report'
import type { Region, Row } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { taxStatus } from '../../reading/tax-status'
import { wordsOf } from '../../reading/text'
import {
  isLikeAddress,
  present,
  readAcres,
  readAddress,
  readDate,
  readDateBefore,
  readLastDate,
  readMoney,
  readMoneyTotal,
  readName,
  readNames,
  readRecordingNumber,
  readSquareFeet,
  readText,
  readYear,
  readYearIn,
} from '../../reading/values'
import { mergeYears } from '../../reading/years'
import type { Exemption, Improvement, Sale, Scrape, Statement, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config, Place, ValuationTable } from './config'
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
  const owners = readNames(
    fields.owner_names?.flatMap((place) => {
      const lines = datalets.getLines(place)
      return lines.length === 0 ? [''] : lines
    }) ?? [header.owner],
  )
  const building = present<Improvement>({
    year_built: readYear(text(fields.year_built)),
    living_area_sq_ft: readSquareFeet(text(fields.living_area_sq_ft)),
  })
  // Inputs whose id ends the same way come first on some pages, without a value.
  const [year] = ['#hdTaxYear', '[id$="hdTaxYear"]', '[id$="hdXTaxYr"]'].flatMap((inputs) =>
    page.all(inputs).flatMap((input) => readYear(input.attribute('value')) ?? []),
  )
  const document = documentNamed(documents, names[0] as string)
  return {
    shownIds: pages.map(pinOf),
    fields: present<ParcelFields>({
      ownerName: owners[0],
      ownerNamesAll: owners.length === 0 ? undefined : owners,
      ownerMailingAddress: readAddress(
        (fields.owner_mailing_address ?? []).flatMap((place) => datalets.getLines(place)).filter((line) => line !== ''),
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
        exemptions: config.homestead && readHomestead(datalets, config.homestead),
        sale_history: config.sales && readSales(datalets, config.sales, document.fetchedAt),
        valuation_history: config.valuations && readValuations(datalets, [config.valuations].flat()),
        statements: config.statements && readStatements(datalets, config.statements, document.fetchedAt),
        improvements: Object.keys(building).length === 0 ? undefined : [building],
      }),
    },
  }
}

/**
 * The owner and the address, in the last two of the header's cells, or with labels above them. A notice with status 200 has no
 * such header. The order is known for two cells. Of three cells, the address must look like one.
 */
const readHeader = (page: Region): { owner: string; situs: string } => {
  const cells = page.all('td.DataletHeaderBottom')
  if (cells.length === 0) {
    if (page.says(NOTHING_FOUND)) throw new ScrapeError('not_found', 'the portal has no such parcel')
    const top = page.all('.DataletHeaderTop')
    const labelled = (label: string) => top.map((cell) => cell.findLine(label)).find((value) => value !== undefined)
    const owner = labelled('Parcel Owner:')
    const situs = labelled('Parcel Address:')
    if (owner !== undefined && situs !== undefined) return { owner, situs }
  }
  const [situs, owner, ...others] = cells.toReversed()
  if (owner === undefined || situs === undefined || others.length > 1) {
    throw new ScrapeError(
      'page_changed',
      `DataletHeaderBottom is ${cells.length} times on the ${page.name} page, not two or three times`,
    )
  }
  if (isLikeAddress(owner.text) && situs.text !== '' && !isLikeAddress(situs.text)) {
    throw new ScrapeError(
      'page_changed',
      `an address where DataletHeaderBottom has the owner, on the ${page.name} page`,
    )
  }
  const isClear = isLikeAddress(situs.text) && !isLikeAddress(owner.text)
  if (!isClear && (others.length > 0 || (owner.text === '' && situs.text !== ''))) {
    noteWarning('it is not clear which header cell has the address, so owner and address were left out')
    return { owner: '', situs: '' }
  }
  return { owner: owner.text, situs: situs.text }
}

const pinOf = (page: Region): string => page.get('#hdPin', 'hdPin').attribute('value') ?? ''

type TableOf<Name extends 'sales' | 'statements'> = NonNullable<Config[Name]>

/** Reads the rows below the configured headings. `text` returns the cell of a field. */
const readRows = <Value>(
  datalets: Datalets,
  { table, none, ...headings }: Record<string, string | undefined>,
  read: (text: (name: string) => string | undefined) => Value | readonly Value[],
): Value[] => {
  const names = Object.values(headings).filter((name) => name !== undefined)
  const { rows } = datalets.getTable(table as string).getTable(names, none === undefined ? {} : { unless: none })
  return rows.flatMap((row: Row) =>
    read((name) => {
      const heading = headings[name]
      return heading === undefined ? undefined : row.text(heading)
    }),
  )
}

/** `H - Homestead`. Undefined when the page has no such row, or the status does not say "approved". */
const readHomestead = (datalets: Datalets, homestead: NonNullable<Config['homestead']>): Exemption[] | undefined => {
  const { table, label, approved_label, approved, none } = homestead
  if (!datalets.hasRow({ table, label })) return undefined
  const value = readText(datalets.getText({ table, label }))
  if (value === undefined) return undefined
  if (none !== undefined && wordsOf(value) === wordsOf(none)) return []
  if (!datalets.hasRow({ table, label: approved_label })) return undefined
  if (wordsOf(datalets.getText({ table, label: approved_label })) !== wordsOf(approved)) return undefined
  const { code, description } = /^(?<code>\w+) - (?<description>.+)$/.exec(value)?.groups ?? {}
  return [present<Exemption>({ code, description: description ?? value })]
}

const readSales = (datalets: Datalets, table: TableOf<'sales'>, fetchedAt: string): Sale[] =>
  readRows(datalets, table, (text) =>
    present<Sale>({
      sold_on: readDateBefore(text('sold_on'), fetchedAt),
      price: readMoney(text('price')),
      deed_type: readText(text('deed_type')),
      grantor: readName(text('grantor')),
      grantee: readName(text('grantee')),
      document_number: readRecordingNumber(text('document_number')),
      book: readRecordingNumber(text('book')),
      page: readRecordingNumber(text('page')),
    }),
  )
    // Some counties list the oldest first.
    .toSorted((one, other) => (other.sold_on ?? '').localeCompare(one.sold_on ?? ''))

const readValuations = (datalets: Datalets, tables: readonly ValuationTable[]): Valuation[] =>
  mergeYears(
    tables.flatMap((table) =>
      readRowsByYear(datalets, table, 'year').map((entry) => {
        const money = (name: string) => readMoney(entry.row(name))
        const valuation = {
          year: entry.year,
          ...present<Omit<Valuation, 'year'>>({
            land: money('land'),
            improvement: money('improvement'),
            total: money('total'),
            assessed: money('assessed'),
            taxable: money('taxable'),
          }),
        }
        noteCombined(valuation, [entry])
        return valuation
      }),
    ),
  )

/** One statement per year; a year may have a row per half. */
const readStatements = (datalets: Datalets, table: TableOf<'statements'>, fetchedAt: string): Statement[] => {
  const years = Map.groupBy(readRowsByYear(datalets, table, 'tax_year'), ({ year }) => year)
  return [...years]
    .map(([tax_year, parts]) => {
      // `2024` beside `2024 - 1` is the sum of the halves.
      if (new Set(parts.map(({ row }) => readYear(row('tax_year')) === undefined)).size > 1) {
        throw new ScrapeError(
          'page_changed',
          `a row of ${tax_year} may be the sum of its others under "${table.table}"`,
        )
      }
      const total = (name: string) => readMoneyTotal(parts.map(({ row }) => row(name)))
      const amounts = present<Pick<Statement, 'billed' | 'paid' | 'due'>>({
        billed: total('billed'),
        paid: total('paid'),
        due: total('due'),
      })
      // A part that is not paid has no date.
      const paid = parts.filter(({ row }) => row('paid_on') !== '' || readMoney(row('paid')) !== 0)
      const paidOn = readLastDate(
        paid.map(({ row }) => row('paid_on')),
        (text) => readDateBefore(text, fetchedAt),
      )
      const rest = { paid_on: paidOn, status: taxStatus(amounts) }
      const statement = { tax_year, ...amounts, ...present<Pick<Statement, 'paid_on' | 'status'>>(rest) }
      noteCombined(statement, parts)
      return statement
    })
    .toSorted((one, other) => other.tax_year - one.tax_year)
}

/** The rows with their year: `2025`, `2024 - 2`. A list is left out if one of its rows has none. */
const readRowsByYear = (datalets: Datalets, table: Record<string, string | undefined>, name: string) =>
  readRows(datalets, table, (row) => {
    const year = readYearIn(row(name))
    return year === undefined ? [] : [{ year, row }]
  })

import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { noteWarning } from '../../reading/page/reading-report'
import { asOf, stampOf } from '../../reading/stamp'
import {
  present,
  readAcres,
  readDate,
  readMoney,
  readName,
  readNames,
  readSquareFeet,
  readText,
  readYear,
} from '../../reading/values'
import type { Improvement, Sale, Scrape, Statement, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { type Row, readRows } from './record'

/** One record card. */
export const parseRecord = (documents: readonly RawDocument[], _target: ScrapeTarget, config: Config): ReadParcel => {
  const rows = readRows(documents)
  const find = (field: keyof Config['names']) => findValue(rows, config.names[field])
  const text = (field: keyof Config['names']) => textOf(find(field))
  const parcelNumber = textOf(getValues(rows, config.names.parcel_number)[0]) ?? ''

  const owners = readOwners(getValues(rows, config.names.owners))
  const year = readYear(text('tax_year'))
  const values = present<Pick<Valuation, 'land' | 'improvement' | 'total' | 'assessed'>>({
    land: readMoney(text('value_land')),
    improvement: readMoney(text('value_improvement')),
    total: readMoney(text('total_value')),
    assessed: readMoney(text('assessed_value')),
  })
  const billed = readMoney(text('tax_amount'))
  const building = present<Improvement>({
    year_built: readYear(text('year_built')),
    living_area_sq_ft: readSquareFeet(text('living_area_sq_ft')),
  })
  const statements: Statement[] | undefined =
    year === undefined || billed === undefined ? undefined : [{ tax_year: year, billed }]
  const document = documentNamed(documents, 'record')
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      ownerName: owners[0],
      ownerNamesAll: owners.length === 0 ? undefined : owners,
      ownerMailingAddress: text('owner_mailing_address'),
      situsAddress: text('situs_address'),
      landUseClass: text('land_use_class'),
      zoningCode: text('zoning_code'),
      acreage: readLotSize(text('lot_size')),
      valueLand: values.land,
      valueImprovement: values.improvement,
      assessedValue: values.assessed,
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, { years: [year] }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owners[0],
        owners: owners.length === 0 ? undefined : owners.map((name) => ({ name })),
        statements,
        valuation_history: year === undefined || Object.keys(values).length === 0 ? undefined : [{ year, ...values }],
        sale_history: readSales(rows),
        improvements: Object.keys(building).length === 0 ? undefined : [building],
      }),
    },
  }
}

/** The different nonempty values of the first of these names in the record. Undefined: the record has none of the names. */
const findValues = (rows: readonly Row[], names: readonly string[]): unknown[] | undefined => {
  for (const name of names) {
    const values = rows.filter((row) => Object.hasOwn(row, name)).map((row) => row[name])
    if (values.length === 0) continue
    const filled = values.filter((value) => textOf(value) !== undefined || Array.isArray(value))
    return [...new Map(filled.map((value) => [JSON.stringify(value), value])).values()]
  }
  return undefined
}

/** Undefined: the record has no such name, or, with a warning, different values of it, such as those of several buildings. */
const findValue = (rows: readonly Row[], names: readonly string[]): unknown => {
  const [value, ...others] = findValues(rows, names) ?? []
  if (others.length === 0) return value
  noteWarning(`the record has several values of "${names.join('", "')}", so they were left out`)
  return undefined
}

const getValues = (rows: readonly Row[], names: readonly string[]): unknown[] => {
  const values = findValues(rows, names)
  if (values === undefined) throw new ScrapeError('page_changed', `none of "${names.join('", "')}" in the record`)
  return values
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? readText(String(value)) : undefined

/** Each value is a name, a list of names, or such a list as text. A record may have the names as a list and one by one. */
const readOwners = (values: readonly unknown[]): string[] => {
  const lists = values.map((value) => (Array.isArray(value) ? value : (listIn(textOf(value)) ?? [value])))
  return [...new Set(lists.flatMap((list) => readNames(list.map((name) => textOf(name) ?? ''))))]
}

const listIn = (text: string | undefined): unknown[] | undefined => {
  if (text?.startsWith('[') !== true) return undefined
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined
  }
}

const SQUARE_FEET_OF_AN_ACRE = 43_560

/** `19100 SQFT` or `0.44 ACRES`. A size without a unit could be either. */
const readLotSize = (text: string | undefined): number | undefined => {
  if (text === undefined || !/[a-z]/i.test(text)) return undefined
  const squareFeet = readSquareFeet(text)
  return squareFeet === undefined ? readAcres(text) : Number((squareFeet / SQUARE_FEET_OF_AN_ACRE).toFixed(4))
}

/** Rows with these names are sales. Undefined when the record has no such row: the county may not publish sales. */
const readSales = (rows: readonly Row[]): Sale[] | undefined => {
  const sales = rows
    .filter((row) => Object.hasOwn(row, 'saledate') && Object.hasOwn(row, 'saleprice'))
    .map((row) =>
      present<Sale>({
        sold_on: readDate(textOf(row.saledate)),
        price: readMoney(textOf(row.saleprice)),
        grantor: readName(textOf(row.seller_name)),
        book: textOf(row.Book),
        page: textOf(row.Page),
      }),
    )
    .filter((sale) => Object.keys(sale).length > 0)
  return sales.length === 0
    ? undefined
    : sales.toSorted((one, other) => (other.sold_on ?? '').localeCompare(one.sold_on ?? ''))
}

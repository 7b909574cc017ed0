import { type Static, Type } from '@sinclair/typebox'
import { LAYER_RECORDS } from '../../core/bounds'
import { fieldKey, LAYER_FIELDS, type LayerFieldName, PARCEL_FIELDS } from '../../core/parcels/fields'
import type { ParcelFields } from '../adapter'
import type { Improvement, Sale, Scrape, Valuation } from '../scrape'
import { ScrapeError } from '../scrape-error'
import { readWebAddress } from './link'
import {
  isFiller,
  present,
  readAcres,
  readAddress,
  readMoney,
  readName,
  readNames,
  readRecordingNumber,
  readSquareFeet,
  readText,
  readYear,
  readZip,
} from './values'

/*
 * Layers and data sets have the same facts in columns with different names. A source's `columns` maps the fields to its columns.
 */

/** Column names become part of a query: no quotes, blanks or brackets. */
const column = Type.String({ pattern: '^[A-Za-z_][\\w.$#]{0,127}$', takes: 'the name of a column' })
const one = (description: string, example: string) => Type.Optional({ ...column, description, examples: [example] })
const joined = Type.Union([column, Type.Array(column, { minItems: 1, maxItems: 10 })])
const several = (description: string, example: string | string[]) =>
  Type.Optional({ ...joined, description: `${description} Several columns are joined by blanks.`, examples: [example] })

/** Columns that are read by the type of their field alone (`layerColumn` in core/parcels/fields.ts). */
const layerColumns = Object.fromEntries(
  LAYER_FIELDS.map((name) => {
    const { description, example } = PARCEL_FIELDS[name].layerColumn
    return [name, one(description, example)]
  }),
) as Record<LayerFieldName, ReturnType<typeof one>>

const LAYER_READERS = LAYER_FIELDS.map((name) => ({
  name,
  key: fieldKey(name),
  read:
    PARCEL_FIELDS[name].type === 'money'
      ? readMoney
      : name === 'situs_zip'
        ? readZip
        : (text: string | undefined) => text,
}))

/** The schema of `vendor_config.columns`. */
export const columnMap = Type.Object(
  {
    parcel_id: { ...column, description: 'The column that is stored as source_parcel_id.', examples: ['PIN'] },
    parcel_number: one('The parcel number that people use, if it differs from parcel_id.', 'GEO_ID'),
    owner_names: Type.Optional(
      Type.Array(column, {
        minItems: 1,
        maxItems: 5,
        description: 'One owner per column; the first becomes owner_name.',
        examples: [['OWNER_1', 'OWNER_2']],
      }),
    ),
    owner_mailing_address: Type.Optional(
      Type.Array(joined, {
        minItems: 1,
        maxItems: 8,
        description: 'The parts of the address, separated by commas. Several columns of a part are joined by blanks.',
        examples: [['ADDR_1', 'CITY', ['STATE', 'ZIP']]],
      }),
    ),
    situs_address: several('The street address.', ['HOUSE_NO', 'STREET']),
    ...layerColumns,
    acreage: one('Area in acres.', 'ACRES'),
    land_sq_ft: one('Area in square feet, where there is none in acres.', 'LAND_SQFT'),
    total_value: one('Value of land and improvements together.', 'TOTAL_VALUE'),
    taxable_value: one('Taxable value.', 'TAXABLE'),
    tax_year: one('The year of the values. Without it there is no valuation history.', 'TAX_YEAR'),
    sale_date: one('Date of the last sale. Without it no sale is recorded.', 'SALE_DATE'),
    sale_price: one('Price of the last sale.', 'SALE_PRICE'),
    deed_type: one('Type of deed of the last sale.', 'DEED_TYPE'),
    grantor: one('Seller in the last sale.', 'GRANTOR'),
    grantee: one('Buyer in the last sale.', 'GRANTEE'),
    deed_number: one('Number of the deed.', 'DEED_NO'),
    deed_book: one('Book in which the deed is recorded.', 'DEED_BOOK'),
    deed_page: one('Page of that book.', 'DEED_PAGE'),
    deed_url: one('Address of the deed, such as a page of the recorder.', 'DEED_LINK'),
    exemptions: one('Codes of exemptions, separated by commas.', 'EXEMPTIONS'),
    building_type: one('Type of the main building.', 'BLDG_TYPE'),
    year_built: one('Year in which the main building was built.', 'YEAR_BUILT'),
    living_area_sq_ft: one('Living area of the main building in square feet.', 'LIVING_SQFT'),
    updated_on: one("The date of the row's data.", 'UPDATED'),
  },
  { additionalProperties: false, description: 'The column for each field.' },
)

export type ColumnMap = Static<typeof columnMap>

/** One row, keyed by column name. */
export type LayerRecord = Readonly<Record<string, unknown>>

/** How to read a date from a column: Esri stores milliseconds in some and text in others. */
type ReadDay = (record: LayerRecord, column: string) => string | undefined

export interface ReadRecords {
  sourceParcelId: string
  fields: ParcelFields
  scrape: Pick<Scrape, 'parcel_number'> & Partial<Omit<Scrape, 'fetched_at'>>
  /** The newest `updated_on`. */
  updatedOn: string | undefined
  years: number[]
}

/** The columns in a map, without duplicates. */
export const columnsOf = (map: ColumnMap): string[] => [...new Set(Object.values(map).flat(2))]

/** `vendor_config.max_records` of vendors that are crawled. */
export const mostRecords = Type.Optional(
  Type.Integer({
    minimum: 1,
    description: `Features or rows after which a crawl fails. Default: ${LAYER_RECORDS.times} times the count that the layer reports, plus ${LAYER_RECORDS.plus.toLocaleString('en-US')}.`,
    examples: [2_000_000],
  }),
)

/** Only someone who knows the county can say which uses are farming. */
export const agriculturalUses = Type.Optional(
  Type.Array(Type.String({ minLength: 1 }), {
    description: 'The values of land_use_class that mean farm land. If absent, is_agricultural is not set.',
    examples: [['AGRICULTURAL']],
  }),
)

/**
 * The text of a column; undefined when the row leaves it empty, and for whole numbers of 16 digits and more: JSON's numbers are not exact
 * there, and two parcels would have the same number.
 */
export const textIn = (record: LayerRecord, name: string | undefined): string | undefined => {
  const value = name === undefined ? undefined : record[name]
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined
  return typeof value === 'string' || typeof value === 'number' ? readText(String(value)) : undefined
}

/**
 * Combines the rows of one parcel. If there is a row per year, the newest describes the parcel and the others are its
 * history. At least one row.
 *
 * @throws ScrapeError `page_changed` when a row has no parcel_id
 */
export const readRecords = (
  records: readonly LayerRecord[],
  { columns: map, agricultural_land_uses }: { columns: ColumnMap; agricultural_land_uses?: string[] },
  readDay: ReadDay,
): ReadRecords => {
  const newestFirst = records.toSorted((one, other) => yearOf(other, map) - yearOf(one, map))
  const newest = agreed(newestFirst as [LayerRecord, ...LayerRecord[]], map)
  /** An empty list would mean that there are none. */
  const isKnown = (columns: readonly (keyof ColumnMap)[]) =>
    columns.every((name) => newestFirst[0]?.[map[name] as string] === newest[map[name] as string])
  const text = (name: keyof ColumnMap) => textIn(newest, map[name] as string | undefined)
  const sourceParcelId = text('parcel_id')
  if (sourceParcelId === undefined) throw new ScrapeError('page_changed', `no "${map.parcel_id}" in a row`)

  const owners = map.owner_names && readNames(map.owner_names.map((name) => textIn(newest, name) ?? ''))
  const landUse = text('land_use_class')
  const history = valuationsIn(newestFirst, map)
  const acres = readAcres(text('acreage'))
  return {
    sourceParcelId,
    fields: present<ParcelFields>({
      ownerName: owners?.[0],
      ownerNamesAll: owners?.length === 0 ? undefined : owners,
      ownerMailingAddress: readAddress(
        (map.owner_mailing_address ?? []).map((part) => join(newest, part)).filter((part) => part !== ''),
      ),
      situsAddress: map.situs_address && readText(join(newest, map.situs_address)),
      ...Object.fromEntries(LAYER_READERS.map(({ name, key, read }) => [key, read(text(name))])),
      isAgricultural: landUse === undefined ? undefined : agricultural_land_uses?.includes(landUse),
      acreage: acres || (acresOf(readSquareFeet(text('land_sq_ft'))) ?? acres),
    }),
    scrape: {
      parcel_number: text('parcel_number') ?? sourceParcelId,
      ...present<Partial<Omit<Scrape, 'fetched_at' | 'parcel_number'>>>({
        owner_name: owners?.[0],
        owners: owners?.length === 0 ? undefined : owners?.map((name) => ({ name })),
        valuation_history: map.tax_year === undefined ? undefined : history,
        sale_history: map.sale_date === undefined ? undefined : salesIn(newestFirst, map, readDay),
        exemptions: map.exemptions !== undefined && isKnown(['exemptions']) ? codesIn(text('exemptions')) : undefined,
        improvements: isKnown(BUILDING) ? buildingIn(newest, map) : undefined,
      }),
    },
    updatedOn: newestDay(newestFirst, map.updated_on, readDay),
    years: history.map(({ year }) => year),
  }
}

/** The newest row. Where a row without a year differs from it, either could be the newest, so those columns are left out. */
const agreed = ([newest, ...others]: [LayerRecord, ...LayerRecord[]], map: ColumnMap): LayerRecord => {
  if (yearOf(newest, map) === 0) return newest
  const unknown = others.filter((record) => yearOf(record, map) === 0)
  if (unknown.length === 0) return newest
  const isAgreed = ([name, value]: [string, unknown]) => unknown.every((record) => Bun.deepEquals(record[name], value))
  return Object.fromEntries(Object.entries(newest).filter(isAgreed))
}

/**
 * The rows of the latest tax year; all rows if there are no years; none if only some have a year. A parcel in several pieces may have
 * several rows per year.
 */
export const newestOf = <Row extends LayerRecord>(records: readonly Row[], map: ColumnMap): Row[] => {
  const years = records.map((record) => yearOf(record, map))
  const latest = Math.max(...years)
  if (latest > 0 && years.includes(0)) return []
  return records.filter((record) => yearOf(record, map) === latest)
}

const newestDay = (records: readonly LayerRecord[], column: string | undefined, readDay: ReadDay) =>
  column === undefined
    ? undefined
    : records
        .flatMap((record) => readDay(record, column) ?? [])
        .toSorted()
        .at(-1)

const join = (record: LayerRecord, part: string | string[]): string =>
  [part]
    .flat()
    .flatMap((name) => textIn(record, name) ?? [])
    .join(' ')

const yearOf = (record: LayerRecord, { tax_year }: ColumnMap): number => readYear(textIn(record, tax_year)) ?? 0

const SQUARE_FEET_OF_AN_ACRE = 43_560

const acresOf = (squareFeet: number | undefined): number | undefined =>
  squareFeet === undefined ? undefined : Number((squareFeet / SQUARE_FEET_OF_AN_ACRE).toFixed(4))

const valuationsIn = (records: readonly LayerRecord[], map: ColumnMap): Valuation[] => {
  const byYear = new Map<number, Valuation>()
  for (const record of records) {
    const year = yearOf(record, map)
    const money = (name: string | undefined) => readMoney(textIn(record, name))
    const values = present<Omit<Valuation, 'year'>>({
      land: money(map.value_land),
      improvement: money(map.value_improvement),
      total: money(map.total_value),
      assessed: money(map.assessed_value),
      taxable: money(map.taxable_value),
    })
    if (year > 0 && Object.keys(values).length > 0 && !byYear.has(year)) byYear.set(year, { year, ...values })
  }
  return [...byYear.values()]
}

/** Undefined when a sale's date cannot be read, or a row has a sale without a date and no row has a date. */
const salesIn = (records: readonly LayerRecord[], map: ColumnMap, readDay: ReadDay): Sale[] | undefined => {
  const sales: Sale[] = []
  for (const record of records) {
    const sold_on = map.sale_date && readDay(record, map.sale_date)
    if (sold_on === undefined) continue
    const text = (name: string | undefined) => textIn(record, name)
    const sale = present<Sale>({
      sold_on,
      price: readMoney(text(map.sale_price)),
      deed_type: text(map.deed_type),
      grantor: readName(text(map.grantor)),
      grantee: readName(text(map.grantee)),
      document_number: readRecordingNumber(text(map.deed_number)),
      book: readRecordingNumber(text(map.deed_book)),
      page: readRecordingNumber(text(map.deed_page)),
      document_url: readWebAddress(text(map.deed_url)),
    })
    sales.push(sale)
  }
  const others = [
    map.sale_date,
    map.sale_price,
    map.deed_type,
    map.grantor,
    map.grantee,
    map.deed_number,
    map.deed_book,
    map.deed_page,
    map.deed_url,
  ]
  const isSold = (record: LayerRecord) => others.some((name) => !isFiller(textIn(record, name) ?? ''))
  const isUnread = (record: LayerRecord) =>
    !isFiller(textIn(record, map.sale_date) ?? '') && map.sale_date !== undefined && !readDay(record, map.sale_date)
  if (records.some(isUnread) || (sales.length === 0 && records.some(isSold))) return undefined
  return sales
    .filter((sale, index) => !sales.some((other, place) => place !== index && repeats(sale, other, place < index)))
    .toSorted((one, other) => (other.sold_on as string).localeCompare(one.sold_on as string))
}

/** Whether a sale adds nothing to the other: rows of other years may have fewer filled columns. */
const repeats = (sale: Sale, other: Sale, isAfter: boolean): boolean => {
  const names = Object.keys(sale) as (keyof Sale)[]
  return names.every((name) => sale[name] === other[name]) && (isAfter || names.length < Object.keys(other).length)
}

const codesIn = (list: string | undefined): { code: string }[] =>
  (list?.split(',') ?? []).flatMap((text) => {
    const code = readText(text)
    return code === undefined ? [] : [{ code }]
  })

const BUILDING = ['building_type', 'year_built', 'living_area_sq_ft'] as const

/** Undefined when no column describes buildings; empty when those columns are empty or zero. */
const buildingIn = (record: LayerRecord, map: ColumnMap): Improvement[] | undefined => {
  if ((map.building_type ?? map.year_built ?? map.living_area_sq_ft) === undefined) return undefined
  const building = present<Improvement>({
    type: textIn(record, map.building_type),
    year_built: readYear(textIn(record, map.year_built)),
    living_area_sq_ft: readSquareFeet(textIn(record, map.living_area_sq_ft)) || undefined,
  })
  return Object.keys(building).length === 0 ? [] : [building]
}

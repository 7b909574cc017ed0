import { PARCEL_FIELDS, type ParcelFieldName } from '../../../core/parcels/fields'
import type { Db } from '../../../core/postgres/database'

const OTHERS = {
  state: 'place.state',
  county_name: 'place.county_name',
  bbox: 'case when p.bbox is not null then array[(p.bbox[1])[0], (p.bbox[1])[1], (p.bbox[0])[0], (p.bbox[0])[1]] end',
  scraped_at: 'iso_utc(p.scraped_at)',
  ingested_at: 'iso_utc(p.ingested_at)',
  updated_at: 'iso_utc(p.updated_at)',
  retired_at: 'iso_utc(p.retired_at)',
  accounts: `coalesce(p.accounts::text, '[]')`,
} as const

/** A field that a list of parcels can show, next to `id`, `source` and `source_parcel_id`. */
export type ListField = ParcelFieldName | keyof typeof OTHERS

export const LIST_FIELDS = [...Object.keys(PARCEL_FIELDS), ...Object.keys(OTHERS)] as readonly ListField[]

/** The value `all`. Accounts must be named, because those of one building can be larger than a page. */
export const ALL_FIELDS = LIST_FIELDS.filter((name) => name !== 'accounts')

/** The fields of a lightweight row. */
export const MAIN_FIELDS: readonly ListField[] = ['owner_name', 'situs_address', 'assessed_value', 'land_use_class']

const expressionOf = (field: ListField): string =>
  field in OTHERS ? OTHERS[field as keyof typeof OTHERS] : `p.${field}`

const toBits = (fields: readonly ListField[]): number =>
  fields.reduce((bits, field) => bits | (1 << LIST_FIELDS.indexOf(field)), 0)

const isArray = (field: ListField): boolean =>
  field === 'bbox' || (field in PARCEL_FIELDS && PARCEL_FIELDS[field as ParcelFieldName].type === 'list')

/** Their text is JSON. */
const isPlain = (field: ListField): boolean =>
  field in PARCEL_FIELDS && ['money', 'boolean'].includes(PARCEL_FIELDS[field as ParcelFieldName].type)

/** PostgreSQL resolves the type of `json_scalar` when it plans; `to_json` looks up the type for each value. */
const jsonText = (field: ListField): string => {
  if (field === 'accounts') return expressionOf(field)
  if (isPlain(field)) return `coalesce(${expressionOf(field)}::text, 'null')`
  return `coalesce(${isArray(field) ? 'to_json' : 'json_scalar'}(${expressionOf(field)})::text, 'null')`
}

/** The name of a source needs no escapes (the constraint `sources_slug`). */
const KEY_JSON = [
  `'{"id":"'`,
  'p.id',
  `'","source":"'`,
  'p.source',
  `'","source_parcel_id":'`,
  'json_scalar(p.source_parcel_id)::text',
]

const ROW_JSON = `concat(${[
  ...KEY_JSON,
  ...LIST_FIELDS.map((field, index) => {
    const isWanted = `wanted.fields & ${1 << index} <> 0`
    return `case when ${isWanted} then ',"${field}":' end, case when ${isWanted} then ${jsonText(field)} end`
  }),
].join(', ')}, '}')`

const MAIN_ROW_JSON = [...KEY_JSON, ...MAIN_FIELDS.map((field) => `',"${field}":' || ${jsonText(field)}`), `'}'`].join(
  ' || ',
)

/**
 * SQL of the JSON text of a row of `parcels p`. Follow `parcels p` with `joinRow`.
 *
 * The text does not depend on the fields, which are passed in `wanted.fields`, so that callers cannot make the server plan a statement
 * for each selection. With constant bits, PostgreSQL drops the other fields when it plans. A row with all fields takes 10 µs; with
 * `row_to_json`, 12 (2026-11-23). The lightweight row has its own text: a statement for 350 rows takes 1.3 ms instead of 1.9, because a
 * cached plan tests every field of every row, and `concat` is slower than `||`.
 */
export const rowJson = (db: Db, fields: readonly ListField[]) =>
  fields === MAIN_FIELDS ? db.unsafe(MAIN_ROW_JSON) : db.unsafe(ROW_JSON)

/** The join that `rowJson` needs after `parcels p`. */
export const joinRow = (db: Db, fields: readonly ListField[]) => db`
  cross join (select ${toBits(fields)}::int as fields) wanted
  ${
    fields.includes('state') || fields.includes('county_name')
      ? db`join sources place on place.source = p.source`
      : db`cross join (select null as state, null as county_name) place`
  }`

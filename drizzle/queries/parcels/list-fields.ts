import { PARCEL_FIELDS, type ParcelFieldName } from '../../../core/parcel-fields'
import type { Db } from '../../../core/postgres/database'

/** Columns that every row of a list has. */
const KEY_FIELDS = ['id', 'source', 'source_parcel_id'] as const

const OTHERS = {
  state: 'place.state',
  county_name: 'place.county_name',
  bbox: 'case when p.bbox is not null then array[(p.bbox[1])[0], (p.bbox[1])[1], (p.bbox[0])[0], (p.bbox[0])[1]] end',
  scraped_at: 'iso_utc(p.scraped_at)',
  ingested_at: 'iso_utc(p.ingested_at)',
  updated_at: 'iso_utc(p.updated_at)',
  retired_at: 'iso_utc(p.retired_at)',
} as const

/** A field that a list of parcels can show, next to `id`, `source` and `source_parcel_id`. */
export type ListField = ParcelFieldName | keyof typeof OTHERS

export const LIST_FIELDS = [...Object.keys(PARCEL_FIELDS), ...Object.keys(OTHERS)] as readonly ListField[]

/** The fields of a lightweight row. */
export const MAIN_FIELDS: readonly ListField[] = ['owner_name', 'situs_address', 'assessed_value', 'land_use_class']

const expressionOf = (field: ListField): string =>
  field in OTHERS ? OTHERS[field as keyof typeof OTHERS] : `p.${field}`

const toBits = (fields: readonly ListField[]): number =>
  fields.reduce((bits, field) => bits | (1 << LIST_FIELDS.indexOf(field)), 0)

const member = (name: string, expression: string): string =>
  `'"${name}":' || coalesce(to_json(${expression})::text, 'null')`

/**
 * SQL of the JSON text of a row of `parcels p`, with the fields that are set in `wanted.fields`. One text for every choice, so that callers
 * cannot make the server plan a statement for each. With constant bits, PostgreSQL drops the other fields when it plans: a row takes
 * 4 µs with four fields (`row_to_json` of the same: 8) and 15 with all (22). Follow `parcels p` with `joinRow`.
 */
export const ROW_JSON = `'{' || concat_ws(',', ${[
  ...KEY_FIELDS.map((name) => member(name, `p.${name}`)),
  ...LIST_FIELDS.map(
    (field, index) => `case when wanted.fields & ${1 << index} <> 0 then ${member(field, expressionOf(field))} end`,
  ),
].join(', ')}) || '}'`

/** What `ROW_JSON` reads next to `parcels p`. */
export const joinRow = (db: Db, fields: readonly ListField[]) => db`
  cross join (select ${toBits(fields)}::int as fields) wanted
  ${
    fields.includes('state') || fields.includes('county_name')
      ? db`join sources place on place.source = p.source`
      : db`cross join (select null as state, null as county_name) place`
  }`

import {
  fieldKey,
  LOADED_COLUMNS,
  type LoadedColumn,
  type ParcelField,
  parcelFields,
  SQL_TYPES,
} from '../../../core/parcels/fields'
import { listColumns } from './field-columns'

/*
 * SQL text that compares incoming records, or merges them into stored parcels. A statement that uses it has a CTE `stated` with one
 * row, whose column `cleared` lists the fields that are emptied if a record has no value. `p` is the stored parcel. A record's `origin`
 * can list fields under `keeps`: their value could not be read, so they are not emptied. They are in `origin` because `excluded` has
 * only the columns of `parcels`; they are not stored.
 */

const lists: readonly LoadedColumn[] = parcelFields.filter(({ type }) => type === 'list').map(({ name }) => name)
const areas: readonly LoadedColumn[] = parcelFields.filter(({ type }) => type === 'area').map(({ name }) => name)

/** A field of the recordset under its column name. A list without a value is empty, or it has the text of another field. */
const readIncoming = (field: ParcelField): string => {
  if (field.type !== 'list') return `"${field.key}" as ${field.name}`
  const other = `"${fieldKey(field.defaultFrom)}"`
  return `coalesce("${field.key}", case when ${other} is null then '{}' else array[${other}] end) as ${field.name}`
}

/** The origin and the fields of a record by their name in code, with their types. */
export const RECORDSET = `origin jsonb, accounts jsonb, ${parcelFields.map(({ key, type }) => `"${key}" ${SQL_TYPES[type]}`).join(', ')}`

/** The columns `origin`, `bbox`, `accounts` and the fields of a record. */
export const INCOMING_COLUMNS = `origin, box(point(bbox[3], bbox[4]), point(bbox[1], bbox[2])) as bbox, accounts,
  ${parcelFields.map(readIncoming).join(', ')}`

/** Condition: the record `incoming` (the alias of a row) has no value for the field. */
const isWithout = (name: LoadedColumn, incoming: string): string =>
  lists.includes(name) ? `${incoming}.${name} = '{}'` : `${incoming}.${name} is null`

/** Condition: the field gets the value of the record `incoming`, even if the record has none. The subquery runs once per statement. */
const isCleared = (name: LoadedColumn, incoming: string): string =>
  `((select '${name}' = any (cleared) from stated) and not coalesce(${incoming}.origin -> 'keeps' ? '${name}', false))`

/**
 * Condition: the areas differ only in rounding. 3224 square feet divided by 43560 have 17 digits, and the same area in a shapefile has 15
 * decimals. False for other fields.
 */
const isRounding = (name: LoadedColumn, incoming: string): string =>
  areas.includes(name) ? `coalesce(abs(${incoming}.${name} - p.${name}) <= 1e-9 * p.${name}, false)` : 'false'

/** The value to store: that of `incoming`, or that of parcel `p` if `incoming` has none and does not clear the field, or has it rounded. */
export const mergedValue = (name: LoadedColumn, incoming: string): string =>
  `case when (${isWithout(name, incoming)} and not ${isCleared(name, incoming)}) or ${isRounding(name, incoming)} then p.${name} else ${incoming}.${name} end`

/** Condition: the record `incoming` would empty a field of parcel `p`. */
export const wouldEmpty = (name: LoadedColumn, incoming: string): string =>
  `(${isWithout(name, incoming)} and not (${isWithout(name, 'p')}) and ${isCleared(name, incoming)})`

/**
 * Condition: the record `incoming` has another boundary than parcel `p`. Boundaries are compared as text and, if they have the same box, by their
 * edges.
 */
export const hasOtherBoundary = (incoming: string): string => `(
  ${incoming}.geom is not null and ${incoming}.geom::text is distinct from p.geom::text
  and not coalesce(${incoming}.bbox ~= p.bbox and same_boundary(${incoming}.geom, p.geom), false)
)`

/**
 * Condition: the record `incoming` would change parcel `p`. The boundary is compared last, because large values are stored separately and
 * need an extra read. `updated_at` does not count.
 */
export const wouldChange = (incoming: string): string => `(
  p.retired_at is not null
  or (${LOADED_COLUMNS.map((name) => mergedValue(name, incoming)).join(', ')}) is distinct from (${listColumns(LOADED_COLUMNS, 'p')})
  or ${hasOtherBoundary(incoming)}
)`

/** Adds list fields that default to the text of a cleared field. */
export const withDerived = (cleared: readonly LoadedColumn[]): LoadedColumn[] => [
  ...new Set([
    ...cleared,
    ...parcelFields.flatMap((field) =>
      field.type === 'list' && cleared.includes(field.defaultFrom) ? [field.name] : [],
    ),
  ]),
]

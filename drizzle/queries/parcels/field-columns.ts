import { fieldKey, PARCEL_FIELDS, type ParcelFieldName } from '../../../core/parcel-fields'

/*
 * SQL text for the fields of core/parcel-fields.ts. It is made of that table alone and does not change while the process runs, so
 * statements that hold it (by `unsafe`, which takes text as it is) are prepared once, like any other.
 */

/** Names of columns, each after `alias.` where one is given. */
export const listColumns = (names: readonly ParcelFieldName[], alias?: string): string =>
  names.map((name) => (alias === undefined ? name : `${alias}.${name}`)).join(', ')

/** Columns as values for code: `p.zoning_code as "zoningCode"`. PostgreSQL sends `bigint` as text, so money is read as `float8`. */
export const selectValues = (names: readonly ParcelFieldName[], alias: string): string =>
  names
    .map((name) => {
      const column = PARCEL_FIELDS[name].type === 'money' ? `${alias}.${name}::float8` : `${alias}.${name}`
      return `${column} as "${fieldKey(name)}"`
    })
    .join(', ')

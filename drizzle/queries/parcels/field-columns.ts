import { fieldKey, type LoadedColumn, PARCEL_FIELDS, type ParcelFieldName } from '../../../core/parcels/fields'

/*
 * SQL text for the fields of core/parcels/fields.ts. It depends only on that table and does not change while the process runs. So a
 * statement that contains it (through `unsafe`, which inserts text unchanged) is prepared once, like any other.
 */

/** Column names, with `alias.` before each if there is an alias. */
export const listColumns = (names: readonly LoadedColumn[], alias?: string): string =>
  names.map((name) => (alias === undefined ? name : `${alias}.${name}`)).join(', ')

/** Columns under their names in code: `p.zoning_code as "zoningCode"`. PostgreSQL sends `bigint` as text, so money is read as `float8`. */
export const selectValues = (names: readonly ParcelFieldName[], alias: string): string =>
  names
    .map((name) => {
      const column = PARCEL_FIELDS[name].type === 'money' ? `${alias}.${name}::float8` : `${alias}.${name}`
      return `${column} as "${fieldKey(name)}"`
    })
    .join(', ')

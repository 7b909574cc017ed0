import { type SQL, sql } from 'drizzle-orm'
import { type AnyPgColumn, check, customType, timestamp } from 'drizzle-orm/pg-core'

/**
 * A PostgreSQL `box`, as its text form `(east,north),(west,south)`: the server puts the upper right corner first,
 * and x is the longitude (https://www.postgresql.org/docs/18/datatype-geometric.html).
 */
export const box = customType<{ data: string }>({ dataType: () => 'box' })

/** A time with the millisecond precision that callers see. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'string' })

/** A check constraint for the length of a text column (core/bounds.ts). Null passes. */
export const atMostCharacters = (name: string, column: AnyPgColumn, most: number) =>
  check(`${name}_length`, sql`length(${column}) <= ${literal(most)}`)

/** A check constraint for the size of a JSON column. A value that is already compressed on disk counts with its compressed size. */
export const atMostBytes = (name: string, column: AnyPgColumn, most: number) =>
  check(`${name}_size`, sql`pg_column_size(${column}) <= ${literal(most)}`)

/** DDL takes no parameters. */
export const literal = (value: number): SQL => sql.raw(String(value))

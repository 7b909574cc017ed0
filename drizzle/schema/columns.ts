import { customType, timestamp } from 'drizzle-orm/pg-core'

/**
 * A PostgreSQL `box`, as its text form `(east,north),(west,south)`: the server puts the upper right corner first,
 * and x is the longitude (https://www.postgresql.org/docs/18/datatype-geometric.html).
 */
export const box = customType<{ data: string }>({ dataType: () => 'box' })

/** A moment, kept to the millisecond because that is what callers are shown. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'string' })

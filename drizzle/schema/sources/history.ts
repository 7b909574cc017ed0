import { bigint, date, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment } from '../columns'

/** Results of a vendor's attempts in periods of five minutes, for charts. Written after each period (`keepHistory`), kept for 8 days. */
export const vendorHistory = pgTable(
  'vendor_history',
  {
    vendor: text().notNull(),
    /** The start of the period. */
    at: moment('at').notNull(),
    /** The target at the end of the period. */
    target: integer().notNull(),
    finished: integer().notNull(),
    /** Failed attempts. A portal that does not know a parcel is not a failure. */
    errors: integer().notNull(),
    /** The 95th percentile of successful attempts; null when there were none. */
    p95Ms: integer('p95_ms'),
  },
  (table) => [primaryKey({ columns: [table.vendor, table.at] })],
)

/** How many of a source's jobs ended and failed, and how many of its parcels changed, by day (UTC); kept for 30 days. */
export const sourceDays = pgTable(
  'source_days',
  {
    source: text().notNull(),
    day: date().notNull(),
    finished: bigint({ mode: 'number' }).notNull(),
    /** How many of `finished` failed. */
    errors: bigint({ mode: 'number' }).notNull(),
    /** Rows of the change log. */
    changes: bigint({ mode: 'number' }).notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.source, table.day] }), index('source_days_day').on(table.day)],
)

/** One row: the time up to which both tables count jobs, and the version up to which the second counts changes. */
export const historyCounted = pgTable('history_counted', {
  upTo: moment('up_to').notNull(),
  changesUpTo: bigint('changes_up_to', { mode: 'number' }).notNull().default(0),
})

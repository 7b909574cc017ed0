import { bigint, date, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment } from './columns'

/** How a vendor's tries went, five minutes at a time, for charts; kept for 8 days. Written when they are over (`keepHistory`). */
export const vendorHistory = pgTable(
  'vendor_history',
  {
    vendor: text().notNull(),
    /** When the five minutes began. */
    at: moment('at').notNull(),
    /** At their end. */
    target: integer().notNull(),
    finished: integer().notNull(),
    /** Tries that failed; that a portal does not know a parcel is no failure. */
    errors: integer().notNull(),
    /** Of those that brought a record; null when none did. */
    p95Ms: integer('p95_ms'),
  },
  (table) => [primaryKey({ columns: [table.vendor, table.at] })],
)

/** How a source's jobs ended, by day (UTC); kept for 30 days. */
export const sourceDays = pgTable(
  'source_days',
  {
    source: text().notNull(),
    day: date().notNull(),
    finished: bigint({ mode: 'number' }).notNull(),
    /** Of those that finished. */
    errors: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.source, table.day] }), index('source_days_day').on(table.day)],
)

/** One row: up to when both are counted. */
export const historyCounted = pgTable('history_counted', { upTo: moment('up_to').notNull() })

import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment } from '../columns'

/**
 * Counters for source health. Triggers maintain them (functions/parcel-tallies.sql, functions/job-tallies.sql), so that requests do not
 * count rows. Each server process counts in its own row, by pid, so that writers do not wait for each other. A source's figures are
 * the sum of its rows. Each minute they are folded into the row of pid 0 (`foldTallies`).
 */
export const sourceTallies = pgTable(
  'source_tallies',
  {
    source: text().notNull(),
    pid: integer().notNull(),
    parcels: bigint({ mode: 'number' }).notNull().default(0),
    queued: bigint({ mode: 'number' }).notNull().default(0),
    running: bigint({ mode: 'number' }).notNull().default(0),
    /** Jobs that ended as errors since `source_errors_since`. */
    errors: bigint({ mode: 'number' }).notNull().default(0),
    lastSuccessAt: moment('last_success_at'),
    lastErrorAt: moment('last_error_at'),
  },
  (table) => [primaryKey({ columns: [table.source, table.pid] })],
)

/**
 * One row: the time after which errors are tallied, a little more than a day ago. `advanceErrorTallies` moves it forward and subtracts
 * the errors that it passes. Readers subtract those that are already older than a day.
 */
export const sourceErrorsSince = pgTable('source_errors_since', { since: moment('since').notNull() })

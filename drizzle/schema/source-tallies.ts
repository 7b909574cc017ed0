import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment } from './columns'

/**
 * What source health shows. Triggers keep it (functions/parcel-tallies.sql, functions/job-tallies.sql), so that nothing is counted for
 * a request. Each server process adds up in a row of its own, with its pid: no writer waits for another's row. A source's figures are
 * the sum of its rows, which are folded into the row of pid 0 each minute (`foldTallies`).
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
 * One row: from when on errors are tallied. A day ago or a little more; what ended in between is counted, and taken off as the
 * moment moves on (`advanceErrorTallies`).
 */
export const sourceErrorsSince = pgTable('source_errors_since', { since: moment('since').notNull() })

import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment } from './columns'

/**
 * What source health shows, kept by triggers (migration `source_tallies`) so that it is never counted. Each server process adds up
 * in a row of its own, named by its pid: no writer ever waits for another one's row. A source's figures are the sum over its rows; those of processes
 * that ended are folded into pid 0 (`foldTallies`).
 */
export const sourceTallies = pgTable(
  'source_tallies',
  {
    source: text().notNull(),
    pid: integer().notNull(),
    parcels: bigint({ mode: 'number' }).notNull().default(0),
    queued: bigint({ mode: 'number' }).notNull().default(0),
    running: bigint({ mode: 'number' }).notNull().default(0),
    lastSuccessAt: moment('last_success_at'),
    lastErrorAt: moment('last_error_at'),
  },
  (table) => [primaryKey({ columns: [table.source, table.pid] })],
)

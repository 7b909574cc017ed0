import { sql } from 'drizzle-orm'
import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'

/**
 * Every attempt that ended, even if its job was requeued. The tuner reads them. Rows are only appended, and deleted soon
 * (`forgetAttempts`). The table has no keys and no references, so that writes are cheap. The job's row fences writers.
 */
export const scrapeAttempts = pgTable(
  'scrape_attempts',
  {
    jobId: uuid('job_id').notNull(),
    attempt: integer().notNull(),
    vendor: text().notNull(),
    /** `done`, or the code of the failure: one of SCRAPE_ERROR_CODES, `internal` for a bug, `worker_lost`. */
    outcome: text().notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** The portal's Retry-After; null when it sent none. */
    retryAfterMs: integer('retry_after_ms'),
    endedAt: moment('ended_at').notNull().default(sql`now()`),
  },
  // For a single query: the signals of a window. The baseline migration adds INCLUDE, which drizzle does not support.
  (table) => [index('scrape_attempts_window').on(table.vendor, table.endedAt)],
)

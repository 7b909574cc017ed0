import { sql } from 'drizzle-orm'
import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from './columns'

/**
 * Every try of a scrape job that ended, those included after which the job was queued again: what the tuner learns from. Append
 * only, and short-lived (`forgetAttempts`). It has neither keys nor references, so that writing it is as cheap as can be; whoever writes is
 * fenced by the job's row.
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
    /** How long the portal asked to be left alone; null when it did not say. */
    retryAfterMs: integer('retry_after_ms'),
    endedAt: moment('ended_at').notNull().default(sql`now()`),
  },
  // Made for one query, the signals of a window: INCLUDE, which drizzle does not know, is in the baseline migration.
  (table) => [index('scrape_attempts_window').on(table.vendor, table.endedAt)],
)

import { sql } from 'drizzle-orm'
import { boolean, index, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from './columns'
import { sources } from './sources'

export const CADENCES = ['daily', 'weekly', 'monthly', 'quarterly', 'annual', 'tax-statement-window'] as const
export type Cadence = (typeof CADENCES)[number]
export const cadence = pgEnum('cadence', CADENCES)

/** How often a source is scraped in full, and when next. Every source has one. */
export const sourceRefreshPolicies = pgTable(
  'source_refresh_policies',
  {
    source: text()
      .primaryKey()
      .references(() => sources.source, { onDelete: 'cascade', onUpdate: 'cascade' }),
    cadence: cadence().notNull().default('annual'),
    nextDueAt: moment('next_due_at').notNull(),
    agriculturalOnly: boolean('agricultural_only').notNull().default(false),
    /** When the run that is under way began; null when there is none. */
    runStartedAt: moment('run_started_at'),
    /** The last parcel id that the run put into the queue; null before the first set. */
    runCursor: text('run_cursor'),
    /** Once all are queued: a job id that comes after all of the run's. The run ends when no job before it is live. */
    runEndsAt: uuid('run_ends_at'),
    updatedAt: moment('updated_at').notNull().default(sql`now()`),
  },
  (table) => [index('source_refresh_policies_due').on(table.nextDueAt)],
)

import { sql } from 'drizzle-orm'
import { boolean, index, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { CADENCES } from '../values'
import { sources } from './sources'

export const cadence = pgEnum('cadence', CADENCES)

/** How often a source is refreshed completely, and when it is due next. Every source has a policy. */
export const sourceRefreshPolicies = pgTable(
  'source_refresh_policies',
  {
    source: text()
      .primaryKey()
      .references(() => sources.source, { onDelete: 'cascade', onUpdate: 'cascade' }),
    cadence: cadence().notNull().default('annual'),
    nextDueAt: moment('next_due_at').notNull(),
    agriculturalOnly: boolean('agricultural_only').notNull().default(false),
    /** When the current run began; null when there is none. */
    runStartedAt: moment('run_started_at'),
    /** The last parcel id that the run has queued; null before the first set. */
    runCursor: text('run_cursor'),
    /**
     * Set once all parcels are queued: a job id higher than those of all the run's jobs. The run ends when no job before it is queued
     * or running.
     */
    runEndsAt: uuid('run_ends_at'),
    updatedAt: moment('updated_at').notNull().default(sql`now()`),
  },
  (table) => [index('source_refresh_policies_due').on(table.nextDueAt)],
)

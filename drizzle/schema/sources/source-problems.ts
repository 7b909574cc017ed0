import { integer, pgEnum, pgTable, text } from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { SOURCE_PROBLEMS } from '../values'
import { sources } from './sources'

export const sourceProblem = pgEnum('source_problem', SOURCE_PROBLEMS)

/** Sources whose last scrapes failed in a row, and why. The scheduler judges them each minute (`noteSourceProblems`). */
export const sourceProblems = pgTable('source_problems', {
  source: text()
    .primaryKey()
    .references(() => sources.source, { onUpdate: 'cascade', onDelete: 'cascade' }),
  problem: sourceProblem().notNull(),
  /** The most frequent class among these failures (core/sources/failure-classes.ts). */
  failureClass: text('failure_class').notNull(),
  /** Failed scrapes after the last good one; at most MAX_RUNS are counted. */
  failures: integer().notNull(),
  /** When the first of these scrapes ended. */
  since: moment('since').notNull(),
})

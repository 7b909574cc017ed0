import { bigint, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { moment } from '../columns'

/** Duties that only one process has at a time: the process, and when its lease expires unless renewed. */
export const leaders = pgTable(
  'leaders',
  {
    duty: text().primaryKey(),
    /** A random name that a process gives itself at each start. */
    owner: text().notNull(),
    /** Raised each time the duty is taken. A leader's writes include it. */
    term: bigint({ mode: 'number' }).notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  // The index makes the term part of a key. So taking the duty waits for transactions that locked the row `for key share`, but renewing
  // the lease does not (PostgreSQL manual, 13.3.2).
  (table) => [uniqueIndex('leaders_term').on(table.duty, table.term)],
)

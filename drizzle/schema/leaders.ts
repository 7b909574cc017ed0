import { bigint, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { moment } from './columns'

/** Which process has a duty that one process has at a time, and until when if it does not renew its lease. */
export const leaders = pgTable(
  'leaders',
  {
    duty: text().primaryKey(),
    /** A name that a process makes up for itself, a new one at each start. */
    owner: text().notNull(),
    /** Raised each time the duty is taken. A leader's writes carry it. */
    term: bigint({ mode: 'number' }).notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  // Unique so that the term is part of a key: taking the duty then waits for transactions that locked the row `for key share`, and
  // renewing the lease does not (PostgreSQL manual, 13.3.2).
  (table) => [uniqueIndex('leaders_term').on(table.duty, table.term)],
)

import { pgTable, text } from 'drizzle-orm/pg-core'
import { moment } from '../columns'

/** When each caller last wrote. For some seconds after that, it reads from the primary and not from a replica. */
export const recentWriters = pgTable('recent_writers', {
  /** Id of the account, or the hash of the key. */
  caller: text().primaryKey(),
  wroteAt: moment('wrote_at').notNull(),
})

import { sql } from 'drizzle-orm'
import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts'
import { moment } from './columns'

/** Browsers that are signed in. Only the SHA-256 of a session's token is kept, in hex. */
export const sessions = pgTable(
  'sessions',
  {
    hashedToken: text('hashed_token').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    lastSeenAt: moment('last_seen_at').notNull().default(sql`now()`),
  },
  (table) => [
    index('sessions_account').on(table.accountId),
    index('sessions_created').on(table.createdAt),
    index('sessions_last_seen').on(table.lastSeenAt),
  ],
)

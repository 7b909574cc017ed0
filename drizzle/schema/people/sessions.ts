import { sql } from 'drizzle-orm'
import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { accounts } from './accounts'

/** Signed-in browsers. A session's token is stored as SHA-256 in hex. */
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

import { sql } from 'drizzle-orm'
import { index, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { accounts } from './accounts'

/** Keys of end users, stored as SHA-256 in hex. The operator's keys are in SERVICE_API_KEYS instead. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    hashedKey: text('hashed_key').notNull(),
    capabilities: text().array().notNull().default(sql`'{}'`),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    lastUsedAt: moment('last_used_at'),
    revokedAt: moment('revoked_at'),
  },
  (table) => [unique('api_keys_hash').on(table.hashedKey), index('api_keys_account').on(table.accountId)],
)

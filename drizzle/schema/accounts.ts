import { sql } from 'drizzle-orm'
import { boolean, pgEnum, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import { moment } from './columns'

export const accountRole = pgEnum('account_role', ['user', 'admin'])

/** People who signed in through the identity provider: `issuer` and `subject` are its words for who they are. */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    issuer: text().notNull(),
    subject: text().notNull(),
    email: text().notNull(),
    name: text(),
    role: accountRole().notNull().default('user'),
    /** A paid plan may issue keys with the capability `enqueue`. */
    paid: boolean().notNull().default(false),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    updatedAt: moment('updated_at').notNull().default(sql`now()`),
  },
  (table) => [unique('accounts_identity').on(table.issuer, table.subject)],
)

import { sql } from 'drizzle-orm'
import { index, pgEnum, pgTable, text, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { ACCOUNT_PLANS, ACCOUNT_ROLES } from '../values'

export const accountRole = pgEnum('account_role', ACCOUNT_ROLES)

export const accountPlan = pgEnum('account_plan', ACCOUNT_PLANS)

/** People who signed in through the identity provider. `issuer` and `subject` identify a person. */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    issuer: text().notNull(),
    subject: text().notNull(),
    /** The email that the provider sent at the last sign-in. It may change, so it does not identify a person. */
    email: text().notNull(),
    name: text(),
    role: accountRole().notNull().default('member'),
    plan: accountPlan().notNull().default('free'),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    updatedAt: moment('updated_at').notNull().default(sql`now()`),
    lastSeenAt: moment('last_seen_at'),
  },
  (table) => [
    unique('accounts_identity').on(table.issuer, table.subject),
    index('accounts_admins').on(table.id).where(sql`role = 'admin'`),
    // The name that other people see (queries/people/account-names.ts).
    uniqueIndex('accounts_name').on(sql`account_name(${table.id})`),
  ],
)

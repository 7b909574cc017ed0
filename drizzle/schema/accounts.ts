import { sql } from 'drizzle-orm'
import { index, pgEnum, pgTable, text, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { moment } from './columns'

export const ACCOUNT_ROLES = ['member', 'admin'] as const
/** Admins steer the service: sources, jobs, concurrency, and other people's roles and plans. */
export type AccountRole = (typeof ACCOUNT_ROLES)[number]
export const accountRole = pgEnum('account_role', ACCOUNT_ROLES)

export const ACCOUNT_PLANS = ['free', 'paid'] as const
/** A paid plan may order scrapes, and issue keys that may. */
export type AccountPlan = (typeof ACCOUNT_PLANS)[number]
export const accountPlan = pgEnum('account_plan', ACCOUNT_PLANS)

/** People who signed in through the identity provider: `issuer` and `subject` are its words for who they are. */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    issuer: text().notNull(),
    subject: text().notNull(),
    /** As the provider told it at the last sign-in. It may change, and is no identity. */
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
    // What others are shown of a person (queries/account-names.ts).
    uniqueIndex('accounts_name').on(sql`account_name(${table.id})`),
  ],
)

import { sql } from 'drizzle-orm'
import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { moment } from './columns'

/**
 * Ways to the identity provider and back that people have set out on. One serves once, and for minutes; it stays a little longer,
 * because how many there were is what bounds how many there may be.
 */
export const signInAttempts = pgTable(
  'sign_in_attempts',
  {
    /** SHA-256, in hex, of the `state` that the provider hands back. */
    hashedState: text('hashed_state').primaryKey(),
    /** SHA-256, in hex, of what only the browser that set out has in a cookie. */
    hashedBrowser: text('hashed_browser').notNull(),
    codeVerifier: text('code_verifier').notNull(),
    nonce: text().notNull(),
    /** Path of this service to go to when signed in. */
    returnTo: text('return_to').notNull(),
    /** Where it came from: an IPv4 address, or the /64 of an IPv6 one. */
    address: text().notNull(),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    usedAt: moment('used_at'),
  },
  (table) => [
    index('sign_in_attempts_address').on(table.address, table.createdAt),
    index('sign_in_attempts_created').on(table.createdAt),
  ],
)

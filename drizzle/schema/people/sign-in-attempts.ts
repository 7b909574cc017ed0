import { sql } from 'drizzle-orm'
import { index, pgTable, text } from 'drizzle-orm/pg-core'
import { moment } from '../columns'

/**
 * Sign-ins that people have started at the identity provider. Each can be completed once, within minutes. The rows stay a little
 * longer, because their number limits further attempts.
 */
export const signInAttempts = pgTable(
  'sign_in_attempts',
  {
    /** SHA-256, in hex, of the `state` that the provider returns. */
    hashedState: text('hashed_state').primaryKey(),
    /** SHA-256, in hex, of a secret in a cookie of the browser that started the sign-in. */
    hashedBrowser: text('hashed_browser').notNull(),
    codeVerifier: text('code_verifier').notNull(),
    nonce: text().notNull(),
    /** Path of this service to redirect to after sign-in. */
    returnTo: text('return_to').notNull(),
    /** The caller's IPv4 address, or the /64 of its IPv6 address. */
    address: text().notNull(),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    usedAt: moment('used_at'),
  },
  (table) => [
    index('sign_in_attempts_address').on(table.address, table.createdAt),
    index('sign_in_attempts_created').on(table.createdAt),
  ],
)

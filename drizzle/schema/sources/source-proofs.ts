import { sql } from 'drizzle-orm'
import { customType, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { sources } from './sources'

const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/**
 * Sources for which a person has compared the scrape of one parcel with the portal. The pages of that scrape are the source's golden
 * page. They are stored here, because kept pages are deleted after some time.
 */
export const sourceProofs = pgTable('source_proofs', {
  source: text()
    .primaryKey()
    .references(() => sources.source, { onUpdate: 'cascade', onDelete: 'cascade' }),
  provedAt: moment('proved_at').notNull().default(sql`now()`),
  /** The first characters of a key, an account, or `operator`. */
  provedBy: text('proved_by').notNull(),
  /** The adapter that read the page, and the version of the service. */
  adapter: text().notNull(),
  version: text().notNull(),
  /** The `ScrapeTarget`, without its validators. */
  target: jsonb().$type<Record<string, unknown>>().notNull(),
  /** SHA-256 of the page set. */
  pageHash: text('page_hash').notNull(),
  /** The page set, compressed. */
  page: bytea().notNull(),
  /** When each response arrived. ISO 8601. */
  answeredAt: jsonb('answered_at').$type<string[]>().notNull(),
  /** The accepted result: `fields` and `scrape`. */
  read: jsonb().$type<Record<string, unknown>>().notNull(),
  /** The version that last read the golden page again. Null: the source's settings have changed since. */
  checkedVersion: text('checked_version'),
  /** How that reading differs from `read`. Null: it does not differ. */
  difference: text(),
})

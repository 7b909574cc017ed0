import { index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { sources } from '../sources/sources'

/**
 * Stored pages of portals (src/scrape/pages): one row for all responses that one scrape of a parcel received. The responses themselves
 * are in `PAGES_URL` under their hash. The row is written first, so that every stored object has a row.
 */
export const keptPages = pgTable(
  'kept_pages',
  {
    source: text()
      .notNull()
      .references(() => sources.source, { onUpdate: 'cascade' }),
    sourceParcelId: text('source_parcel_id').notNull(),
    /** SHA-256 of the answers, with the names of the source and the parcel. */
    hash: text().notNull(),
    /** The adapter that requested them, and the version of the service. */
    adapter: text().notNull(),
    version: text().notNull(),
    /** `done`, or the code of the failure. */
    outcome: text().notNull(),
    /** Why the scrape failed. Null: it did not fail. */
    message: text(),
    /** The overrides of the scrape. */
    overrides: jsonb().$type<Record<string, unknown>>().notNull(),
    /** When each response arrived, the last time that the portal sent these responses. ISO 8601. */
    answeredAt: jsonb('answered_at').$type<string[]>().notNull(),
    /** When the portal last sent these responses, or said that they are unchanged; or when their removal began. */
    fetchedAt: moment('fetched_at').notNull(),
    /** Compressed. 0 until it is stored, -1 while it is being removed. */
    sizeBytes: integer('size_bytes').notNull().default(0),
    /** Null: the responses are being stored or removed, and are not listed. */
    storedAt: moment('stored_at'),
  },
  (table) => [
    primaryKey({ columns: [table.source, table.sourceParcelId, table.hash] }),
    index('kept_pages_age').on(table.fetchedAt),
  ],
)

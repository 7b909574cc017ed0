import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { sources } from './sources'

/** A label or table heading of a source's pages that no field was read from. Times are ISO 8601. */
export interface UnreadLabel {
  label: string
  /** How many scrapes of the current window have it, and of the previous window. */
  seen: number
  seenBefore: number
  firstSeenAt: string
  lastSeenAt: string
  /** An operator marked it as nothing to read. */
  isKnown: boolean
}

/** The labels on each source's pages that are not read (src/scrape/labels). Workers add to them every few seconds. */
export const sourceLabels = pgTable('source_labels', {
  source: text()
    .primaryKey()
    .references(() => sources.source, { onUpdate: 'cascade', onDelete: 'cascade' }),
  /** Scrapes of the current window, and of the previous window. */
  scrapes: integer().notNull().default(0),
  scrapesBefore: integer('scrapes_before').notNull().default(0),
  /** At most MAX_LABELS. */
  labels: jsonb().$type<UnreadLabel[]>().notNull().default([]),
})

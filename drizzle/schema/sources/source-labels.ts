import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { sources } from './sources'

/** A label or table heading of a source's pages that no field came from. Times are ISO 8601. */
export interface UnreadLabel {
  label: string
  /** Scrapes of the current window that have it, and of the window before. */
  seen: number
  seenBefore: number
  firstSeenAt: string
  lastSeenAt: string
  /** An operator has said that there is nothing to read there. */
  isKnown: boolean
}

/** What is on the pages of each source and is not read (src/scrape/labels). Workers add to it every few seconds. */
export const sourceLabels = pgTable('source_labels', {
  source: text()
    .primaryKey()
    .references(() => sources.source, { onUpdate: 'cascade', onDelete: 'cascade' }),
  /** Scrapes of the current window, and of the window before. */
  scrapes: integer().notNull().default(0),
  scrapesBefore: integer('scrapes_before').notNull().default(0),
  /** MAX_LABELS at most. */
  labels: jsonb().$type<UnreadLabel[]>().notNull().default([]),
})

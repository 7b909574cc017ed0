import { sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { LINK_KINDS } from '../values'
import { parcels } from './parcels'

/**
 * Retired parcels and the parcels that now have their land (src/parcels/link-successors.ts). While a source lists a predecessor again,
 * its links do not count. A trigger deletes them when it is retired the next time.
 */
export const parcelLinks = pgTable(
  'parcel_links',
  {
    predecessor: uuid()
      .notNull()
      .references(() => parcels.id, { onDelete: 'cascade' }),
    successor: uuid()
      .notNull()
      .references(() => parcels.id, { onDelete: 'cascade' }),
    kind: text({ enum: LINK_KINDS }).notNull(),
    /** The load or crawl that retired the predecessor. Its row may be deleted. */
    loadId: uuid('load_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.predecessor, table.successor] }),
    index('parcel_links_successor').on(table.successor),
    index('parcel_links_load').on(table.loadId),
    check('parcel_links_kind', sql`kind in ('split', 'merge', 'replaced')`),
  ],
)

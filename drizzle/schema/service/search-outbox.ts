import { bigint, pgEnum, pgTable, primaryKey, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'

export const documentKind = pgEnum('document_kind', ['parcel', 'entity'])

/**
 * Changes that are not in the search index yet. There is one row per document. Each change gives it a new sequence number, so that a
 * change during the sending of an older one is not mistaken for sent.
 */
export const searchOutbox = pgTable(
  'search_outbox',
  {
    kind: documentKind().notNull(),
    id: uuid().notNull(),
    seq: bigint({ mode: 'number' }).notNull(),
    /** When the transaction that made the change began. The oldest one tells how far the index is behind. */
    changedAt: moment('changed_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] }), uniqueIndex('search_outbox_seq_order').on(table.seq)],
)

import { bigint, pgEnum, pgTable, primaryKey, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { moment } from './columns'

export const documentKind = pgEnum('document_kind', ['parcel', 'entity'])

/**
 * Rows that the search index has yet to learn of: one per document, with a fresh sequence number at each change, so that
 * a change made while an older one is being sent is not taken for sent.
 */
export const searchOutbox = pgTable(
  'search_outbox',
  {
    kind: documentKind().notNull(),
    id: uuid().notNull(),
    seq: bigint({ mode: 'number' }).notNull(),
    /** When the transaction began that drew the number: how far the index lags behind is read from the oldest. */
    changedAt: moment('changed_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] }), uniqueIndex('search_outbox_seq_order').on(table.seq)],
)

import { bigint, boolean, index, pgEnum, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'

export const documentKind = pgEnum('document_kind', ['parcel', 'entity'])

/**
 * Changes that are not in the search index yet. There is one row per document. Each change gives it a new sequence number, so that a
 * change made while an older one is being sent is not mistaken for sent.
 */
export const searchOutbox = pgTable(
  'search_outbox',
  {
    kind: documentKind().notNull(),
    id: uuid().notNull(),
    seq: bigint({ mode: 'number' }).notNull(),
    /** When the transaction that made the change began. The oldest one shows how far behind the index is. */
    changedAt: moment('changed_at').notNull().defaultNow(),
    /** With several instances of Meilisearch: an instance without the document's state may still have the document and must delete it. */
    moved: boolean().notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.kind, table.id] }), uniqueIndex('search_outbox_seq_order').on(table.seq)],
)

/**
 * With several instances of Meilisearch: the changes of `search_outbox`, moved to the queues of their instances. So an instance that is
 * down delays only its own states. A change has the same number in each queue.
 */
export const searchInstanceOutbox = pgTable(
  'search_instance_outbox',
  {
    /** Its host and port. */
    instance: text().notNull(),
    kind: documentKind().notNull(),
    id: uuid().notNull(),
    seq: bigint({ mode: 'number' }).notNull(),
    changedAt: moment('changed_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.instance, table.kind, table.id] }),
    index('search_instance_outbox_seq_order').on(table.instance, table.seq),
  ],
)

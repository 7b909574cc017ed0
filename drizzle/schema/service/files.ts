import { sql } from 'drizzle-orm'
import { bigint, customType, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'

const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** Files of parcels that admins upload part by part, so that an interrupted upload continues where it stopped. */
export const files = pgTable(
  'files',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    name: text().notNull(),
    /** The size that was announced. */
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    /** The size of its parts. It is complete when both are the same. */
    receivedBytes: bigint('received_bytes', { mode: 'number' }).notNull().default(0),
    createdBy: text('created_by').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('files_expires').on(table.expiresAt)],
)

/** The parts of a file, each with its offset. */
export const fileParts = pgTable(
  'file_parts',
  {
    file: uuid()
      .notNull()
      .references(() => files.id, { onDelete: 'cascade' }),
    start: bigint({ mode: 'number' }).notNull(),
    content: bytes().notNull(),
  },
  (table) => [primaryKey({ columns: [table.file, table.start] })],
)

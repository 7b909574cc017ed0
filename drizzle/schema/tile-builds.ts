import { sql } from 'drizzle-orm'
import { bigint, index, pgEnum, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { moment } from './columns'

export const tileBuildStatus = pgEnum('tile_build_status', ['building', 'published', 'retired', 'failed'])

/** Tile archives of a layer. The one published row of a layer is what the manifest points at. */
export const tileBuilds = pgTable(
  'tile_builds',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    layer: text().notNull(),
    status: tileBuildStatus().notNull().default('building'),
    /** First 16 hex digits of the archive's SHA-256: its name. */
    hash: text(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    errorMessage: text('error_message'),
    startedAt: moment('started_at').notNull().default(sql`now()`),
    publishedAt: moment('published_at'),
    retiredAt: moment('retired_at'),
  },
  (table) => [
    uniqueIndex('tile_builds_one_published').on(table.layer).where(sql`status = 'published'`),
    index('tile_builds_layer').on(table.layer, table.id),
  ],
)

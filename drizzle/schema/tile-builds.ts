import { sql } from 'drizzle-orm'
import { bigint, index, pgEnum, pgTable, real, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { moment } from './columns'
import { work } from './work'

export const tileBuildStatus = pgEnum('tile_build_status', ['building', 'published', 'retired', 'failed', 'unchanged'])

/** Tile archives of a layer, one row for each try to build one (`work`). The one published row of a layer is what the manifest points at. */
export const tileBuilds = pgTable(
  'tile_builds',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    /** The work that it is a try of; null once that is forgotten. */
    workId: uuid('work_id').references(() => work.id, { onDelete: 'set null' }),
    layer: text().notNull(),
    status: tileBuildStatus().notNull().default('building'),
    /** First 16 hex digits of the archive's SHA-256: its name. */
    hash: text(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    errorMessage: text('error_message'),
    /** Who asked for it; null: it was due, or somebody built it on the command line. */
    requestedBy: text('requested_by'),
    /** How far it is, from 0 to 1; null before the first word of it. */
    share: real(),
    /** So far, while it is building. */
    parcels: bigint({ mode: 'number' }),
    tiles: bigint({ mode: 'number' }),
    /** Of the published one: `drawn_changes_seq` when its rows were read, and when they last turned out as it shows them. */
    drawnChanges: bigint('drawn_changes', { mode: 'number' }),
    currentAt: moment('current_at'),
    startedAt: moment('started_at').notNull().default(sql`now()`),
    finishedAt: moment('finished_at'),
    publishedAt: moment('published_at'),
    retiredAt: moment('retired_at'),
  },
  (table) => [
    uniqueIndex('tile_builds_one_published').on(table.layer).where(sql`status = 'published'`),
    index('tile_builds_layer').on(table.layer, table.id),
  ],
)

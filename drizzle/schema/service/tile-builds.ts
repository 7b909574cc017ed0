import { sql } from 'drizzle-orm'
import { bigint, index, pgEnum, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { work } from './work'

export const tileBuildStatus = pgEnum('tile_build_status', ['building', 'published', 'retired', 'failed', 'unchanged'])

/**
 * Builds of tile archives, one row per attempt (`work`). Each layer has one published row; the manifest points at its archive. The
 * progress of a build is in `work`.
 */
export const tileBuilds = pgTable(
  'tile_builds',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    /** The work that this build is an attempt of. It is kept as long as this row. */
    workId: uuid('work_id').references(() => work.id),
    layer: text().notNull(),
    status: tileBuildStatus().notNull().default('building'),
    /** The first 16 hex digits of the archive's SHA-256. They are the archive's name. */
    hash: text(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    errorMessage: text('error_message'),
    /** Who requested the build; null if it was due or was started on the command line. */
    requestedBy: text('requested_by'),
    /** For the published build: `drawn_changes_seq` when its rows were read, and when the archive was last known to be up to date. */
    drawnChanges: bigint('drawn_changes', { mode: 'number' }),
    currentAt: moment('current_at'),
    /** The version of the record (schema/parcels/parcel-changes.ts) that the archive reflects. */
    datasetVersion: bigint('dataset_version', { mode: 'number' }),
    startedAt: moment('started_at').notNull().default(sql`now()`),
    finishedAt: moment('finished_at'),
    publishedAt: moment('published_at'),
    retiredAt: moment('retired_at'),
  },
  (table) => [
    uniqueIndex('tile_builds_one_published').on(table.layer).where(sql`status = 'published'`),
    index('tile_builds_layer').on(table.layer, table.id),
    index('tile_builds_work').on(table.workId),
  ],
)

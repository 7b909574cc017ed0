import { sql } from 'drizzle-orm'
import { bigint, check, index, json, jsonb, pgSequence, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { box, moment } from '../columns'
import { CAUSES, CHANGE_ACTIONS } from '../values'

/** Versions of the record. Read `functions/parcel-changes.sql` before you use one: a version is drawn before its change is visible. */
export const parcelVersions = pgSequence('parcel_versions')

/**
 * The change log: one row for each write to a parcel that changed it, by triggers on `parcels` (functions/parcel-changes.sql). Rows are
 * never updated or deleted, except if an operator has old years compacted (functions/compact-changes.sql). The table is partitioned by
 * month of `at`, which drizzle-kit cannot express, so its migration is written by hand.
 *
 * To get a parcel's values at an earlier time, take its current values and undo all later changes. So a creation stores no values, and
 * current values are only in `parcels`.
 */
export const parcelChanges = pgTable(
  'parcel_changes',
  {
    /** Increases: a later change of the same parcel has a higher version. */
    version: bigint({ mode: 'number' }).notNull(),
    at: moment('at').notNull(),
    parcelId: uuid('parcel_id').notNull(),
    source: text().notNull(),
    sourceParcelId: text('source_parcel_id').notNull(),
    action: text({ enum: CHANGE_ACTIONS }).notNull(),
    /** Null: the change is older than the log. */
    cause: text({ enum: CAUSES }),
    /** The load, crawl, job, replay or undo. Its row may be deleted. */
    causeId: uuid('cause_id'),
    /**
     * Field → [former value, new value], for fields that changed. `geom` has hashes (see `geometries`), `lon` and `lat` are logged
     * together, also when a boundary replaces the point, and `scrape_data.NAME` is a member of the scrape data. A value is null if the
     * parcel had none. Empty for a creation.
     */
    changes: jsonb().$type<Record<string, [unknown, unknown]>>().notNull(),
    /** The normalized name of the owner whom the change replaced, for an index. Normalizing it again for the index would cost 6 µs. */
    formerOwner: text('former_owner'),
    /**
     * The origin of the new values: `{"line": 12}` or `{"line": 4, "place": "feature 4"}` for a loaded file, or `{"page": …, "page_hash": …, "page_at": …, "adapter": …,
     * "as_of": …}` for a portal.
     */
    origin: jsonb().$type<Record<string, unknown>>(),
  },
  (table) => [
    primaryKey({ columns: [table.version, table.at] }),
    index('parcel_changes_parcel').on(table.parcelId, table.version),
    index('parcel_changes_source').on(table.source, table.version),
    index('parcel_changes_cause').on(table.causeId, table.version).where(sql`cause_id is not null`),
    index('parcel_changes_former_owner').on(table.formerOwner).where(sql`former_owner is not null`),
    index('parcel_changes_former_geom').on(sql`(changes -> 'geom' ->> 0)`).where(sql`changes ? 'geom'`),
    index('parcel_changes_former_point')
      .using('gist', sql`box_at((changes -> 'lon' ->> 0)::float8, (changes -> 'lat' ->> 0)::float8)`)
      .where(sql`changes ? 'lon'`),
    check('parcel_changes_action', sql`action in ('created', 'changed', 'retired', 'returned', 'deleted')`),
    check('parcel_changes_cause', sql`cause in ('ingest', 'crawl', 'scrape', 'replay', 'review', 'undo', 'operator')`),
  ],
)

/** Former boundaries, one row per distinct content. Current boundaries are in `parcels`. */
export const geometries = pgTable(
  'geometries',
  {
    /** `geometry_hash` of the GeoJSON text. */
    hash: text().primaryKey(),
    geom: json().notNull(),
    bbox: box('bbox').notNull(),
  },
  (table) => [index('geometries_bbox').using('gist', table.bbox)],
)

import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  date,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { sources } from '../sources/sources'
import { LOAD_KINDS, LOAD_STATUSES } from '../values'

/** One check of a load: how many parcels it would change in this way, and whether that is too many. */
export interface LoadCheck {
  /** `retired`: parcels that it would retire. `emptied`: parcels whose `field` it would empty. `owner`: parcels that get another owner. */
  check: 'retired' | 'emptied' | 'owner'
  field: string | null
  count: number
  /** `count` as a share of the source's parcels. */
  share: number
  /** The source's limit of the share. */
  limit: number
  is_over: boolean
  /** Only if the check is over its limit. */
  examples: { source_parcel_id: string; former: unknown; new: unknown }[]
}

/** The result of comparing a load with the parcels of its source. */
export interface LoadVerdict {
  /** The source's parcels before the load, without retired ones. */
  parcels: number
  checks: LoadCheck[]
}

/** The records of a load. Parcels that it did not change are `unchanged`. */
export interface LoadCounts {
  read: number
  rejected: number
  inserted: number
  updated: number
  unchanged: number
  retired: number
}

/** The result of an undo. */
export interface UndoResult {
  /** Parcels that have their former values again. */
  restored: number
  /** Parcels that it retired, because the load had created them or had listed retired ones again. */
  retired: number
  /** Parcels with a field that was changed again later. The undo left these fields unchanged. */
  kept: number
  /** The first of them. */
  kept_first: { source_parcel_id: string; fields: string[] }[]
}

/**
 * Loads: one run of `bun run ingest parcels`, or one crawl. Its records are staged in `load_batches` and compared with the stored
 * parcels before any of them is visible. The id is that of the work that runs the load, and the change log names it as the cause.
 */
export const loads = pgTable(
  'loads',
  {
    id: uuid().primaryKey(),
    source: text()
      .notNull()
      .references(() => sources.source, { onUpdate: 'cascade' }),
    kind: text({ enum: LOAD_KINDS }).notNull(),
    status: text({ enum: LOAD_STATUSES }).notNull().default('staging'),
    /** Whether it lists all parcels of the source: parcels that are not in it are retired. */
    isComplete: boolean('is_complete').notNull().default(false),
    /** The date of the data. */
    asOf: date('as_of'),
    /** The name of the file. */
    file: text(),
    /** Fields that are emptied if a record has no value. Other fields keep their value. */
    cleared: text().array().notNull().default(sql`'{}'`),
    counts: jsonb().$type<LoadCounts>(),
    /** Null: it was not compared, because it is not completely read or its source had no parcels. */
    verdict: jsonb().$type<LoadVerdict>(),
    undo: jsonb().$type<UndoResult>(),
    createdBy: text('created_by'),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    /** When it was completely read and compared. */
    judgedAt: moment('judged_at'),
    appliedAt: moment('applied_at'),
    /** When it was discarded, undone or failed. */
    endedAt: moment('ended_at'),
    /** Who applied or discarded a held load, why it was discarded or failed, or that its layer was cut short. */
    note: text(),
  },
  (table) => [
    index('loads_source').on(table.source, table.id),
    index('loads_open').on(table.source).where(sql`status in ('staging', 'held', 'applying')`),
    uniqueIndex('loads_held').on(table.source).where(sql`status = 'held'`),
    check('loads_kind', sql`kind in ('ingest', 'crawl')`),
    check('loads_status', sql`status in ('staging', 'held', 'applying', 'applied', 'discarded', 'undone', 'failed')`),
  ],
)

/** The staged records of a load. Deleted when the load is applied or discarded. */
export const loadBatches = pgTable(
  'load_batches',
  {
    loadId: uuid('load_id')
      .notNull()
      .references(() => loads.id, { onDelete: 'cascade' }),
    /** The line of its first record. Batches below 1 have only ids: parcels of rejected records. */
    number: integer().notNull(),
    /** The parcels of the batch, including those that it does not change. In a partial load, only those to retire. */
    ids: text().array().notNull().default(sql`'{}'`),
    /** Whether the parcels of the batch are to be retired. Such batches are the last. */
    retires: boolean().notNull().default(false),
    /** The records in the form that `upsertParcels` takes. Null: nothing is left to write. */
    rows: json(),
    inserted: integer().notNull().default(0),
    updated: integer().notNull().default(0),
    unchanged: integer().notNull().default(0),
    retired: integer().notNull().default(0),
    /** How many parcels would lose the value of each field. */
    emptied: jsonb().$type<Record<string, number>>().notNull().default({}),
    /** How many parcels would get another owner. */
    owners: integer().notNull().default(0),
    isApplied: boolean('is_applied').notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.loadId, table.retires, table.number] })],
)

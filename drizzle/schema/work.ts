import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { moment } from './columns'
import { jobStatus } from './scrape-jobs'
import { sources } from './sources'

/**
 * Long work of every kind: crawls, tile builds, checks and rebuilds of the search index. Scrape jobs have a table of their own: they
 * are many and short. Each kind has a runner, which knows what its payload, cursor and result mean.
 */
export const work = pgTable(
  'work',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    kind: text().notNull(),
    /** What the work is done to: a source, a layer. At most one of a kind and subject is queued or running. Null: any number is. */
    subject: text(),
    /** The source that the work belongs to; null when it belongs to none. */
    source: text().references(() => sources.source, { onUpdate: 'cascade' }),
    /** The vendor whose portals the work loads: it counts toward the vendor's concurrency. Null: it loads none. */
    vendor: text(),
    /** What was ordered. It does not change. */
    payload: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    status: jobStatus().notNull().default('queued'),
    /** Where the next try goes on, in the runner's own format; null: at the beginning. */
    cursor: text(),
    /** How many times the work was claimed. The number of the current try fences what the try writes. */
    attempts: integer().notNull().default(0),
    /** Tries that failed since the last progress. */
    failures: integer().notNull().default(0),
    /** Progress, in units of the kind: records, parcels, documents. */
    done: bigint({ mode: 'number' }).notNull().default(0),
    /** Null when it is not known. */
    total: bigint({ mode: 'number' }),
    /** What the work has brought so far. */
    result: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    /** Null: nobody; the work was due. */
    requestedBy: text('requested_by'),
    notBefore: moment('not_before').notNull().default(sql`date_trunc('milliseconds', now())`),
    /** Null while it runs: the work is leased as long as the process that runs it leads (`drizzle/queries/work/led-work.ts`). */
    leaseExpiresAt: moment('lease_expires_at'),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    startedAt: moment('started_at'),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    uniqueIndex('work_live').on(table.kind, table.subject).where(sql`status in ('queued', 'running')`),
    index('work_kind').on(table.kind, table.id),
    index('work_source').on(table.source, table.id).where(sql`source is not null`),
    index('work_finished').on(table.finishedAt).where(sql`status in ('done', 'error')`),
    check('work_ends_after_start', sql`finished_at >= started_at`),
  ],
)

/** Records that work could not take, and why. Only the first ones are kept, so that a wrong setting does not fill the disk. */
export const workRejects = pgTable(
  'work_rejects',
  {
    workId: uuid('work_id')
      .notNull()
      .references(() => work.id, { onDelete: 'cascade' }),
    /** Grows: the order in which they were rejected. */
    id: bigint({ mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    /** The record, in the words of whoever sent it. */
    what: text().notNull(),
    reason: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workId, table.id] })],
)

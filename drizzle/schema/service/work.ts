import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { jobStatus } from '../jobs/scrape-jobs'
import { sources } from '../sources/sources'

/**
 * Long work of every kind, such as crawls, loads of files, exports and tile builds. Scrape jobs have their own table,
 * because there are many of them and they are short. Each kind has a runner; `work-kinds.ts` has the schemas of its payload and result.
 */
export const work = pgTable(
  'work',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    kind: text().notNull(),
    /** The source or layer to work on. Work with the same kind and subject is queued or running at most once. Null: no such limit. */
    subject: text(),
    /** The source that the work belongs to, if any. */
    source: text().references(() => sources.source, { onUpdate: 'cascade' }),
    /** The vendor of the portals that the work sends requests to. The work counts toward the vendor's concurrency. Null: no portal. */
    vendor: text(),
    /** The parameters of the work. They never change. */
    payload: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    status: jobStatus().notNull().default('queued'),
    /** Where the next attempt continues, in a format of the runner; null: at the start. */
    cursor: text(),
    /** How many times the work was claimed. This is the number of the current attempt; writes of earlier attempts are refused. */
    attempts: integer().notNull().default(0),
    /** Failed attempts since the last progress. */
    failures: integer().notNull().default(0),
    /** Progress, in units of the kind: records, parcels, documents. */
    done: bigint({ mode: 'number' }).notNull().default(0),
    /** Null if unknown. */
    total: bigint({ mode: 'number' }),
    /** The result so far. */
    result: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    errorCode: text('error_code'),
    /**
     * The class of the failure if it is more specific than the code (core/sources/failure-classes.ts). Null: the code is specific
     * enough.
     */
    failureClass: text('failure_class'),
    errorMessage: text('error_message'),
    /** Null: nobody requested the work; it was due. */
    requestedBy: text('requested_by'),
    /** Work with a higher priority is claimed first, then the oldest. */
    priority: smallint().notNull().default(0),
    /** Work of a kind and ordering key is done one piece after the other, oldest first. Null: it does not wait for other work. */
    orderingKey: text('ordering_key'),
    notBefore: moment('not_before').notNull().default(sql`date_trunc('milliseconds', now())`),
    /** Set on running work. Work with an expired lease is lost (`drizzle/queries/work/claim-work.ts`). */
    leaseExpiresAt: moment('lease_expires_at'),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    startedAt: moment('started_at'),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    uniqueIndex('work_live').on(table.kind, table.subject).where(sql`status in ('queued', 'running')`),
    // These two indexes contain only queued or running work, so they stay small however much work has ended.
    index('work_claim')
      .on(table.kind, table.priority.desc().nullsFirst(), table.id)
      .where(sql`status in ('queued', 'running')`),
    index('work_ordering')
      .on(table.kind, table.orderingKey, table.id)
      .where(sql`status in ('queued', 'running') and ordering_key is not null`),
    index('work_kind').on(table.kind, table.id),
    // Few rows have a status other than `done`.
    index('work_status').on(table.status, table.kind, table.id),
    index('work_exports').on(table.orderingKey, table.id).where(sql`kind = 'export'`),
    index('work_source').on(table.source, table.id).where(sql`source is not null`),
    index('work_finished').on(table.finishedAt).where(sql`status in ('done', 'error')`),
    check('work_ends_after_start', sql`finished_at >= started_at`),
    check('work_leased_while_running', sql`(status = 'running') = (lease_expires_at is not null)`),
  ],
)

/** Rejected records and the reasons. Only the first ones are stored, so that a wrong setting does not fill the disk. */
export const workRejects = pgTable(
  'work_rejects',
  {
    workId: uuid('work_id')
      .notNull()
      .references(() => work.id, { onDelete: 'cascade' }),
    /** Increases: the order in which the records were rejected. */
    id: bigint({ mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    /** The record, by the portal's identifier. */
    what: text().notNull(),
    /** Its position in a file: a line or a feature. */
    place: text(),
    reason: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workId, table.id] })],
)

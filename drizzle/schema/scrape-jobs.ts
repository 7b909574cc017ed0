import { sql } from 'drizzle-orm'
import { check, index, integer, jsonb, pgEnum, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { moment } from './columns'
import { sources } from './sources'

export const JOB_STATUSES = ['queued', 'running', 'done', 'error'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]
export const jobStatus = pgEnum('job_status', JOB_STATUSES)

/**
 * Which of a vendor's jobs go first, in this order: `high` are those that somebody waits for, `normal` refreshes and orders in bulk.
 * Normal ones need no share of their own: ordering a parcel that a refresh has queued lifts that very job, so that the refresh
 * comes forward. Only parcels that are ordered anew after each scrape hold it up, and only while they are ordered faster than the
 * vendor can be scraped, which holds up whoever orders them first of all.
 */
export const JOB_PRIORITIES = ['high', 'normal'] as const
export type JobPriority = (typeof JOB_PRIORITIES)[number]
export const jobPriority = pgEnum('job_priority', JOB_PRIORITIES)

/** Who orders what no caller asked for: the scheduler. */
export const NOBODY = '00000000-0000-0000-0000-000000000000'

/** The truth about scrape jobs; a queue only carries their ids. A parcel has at most one queued and one running job. */
export const scrapeJobs = pgTable(
  'scrape_jobs',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    source: text()
      .notNull()
      .references(() => sources.source, { onUpdate: 'cascade' }),
    sourceParcelId: text('source_parcel_id').notNull(),
    vendor: text().notNull(),
    status: jobStatus().notNull().default('queued'),
    priority: jobPriority().notNull().default('normal'),
    /** Overrides of scrape-now that a browser worker has to honour. */
    overrides: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    /** How often a worker took it. The number of the try that runs fences what it writes. */
    attempts: integer().notNull().default(0),
    /** Of `attempts`, those that a stopping worker gave back, or that a crowd before a host put off: they do not count as failures. */
    handedBack: integer('handed_back').notNull().default(0),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    /** First 8 characters of the key that asked for it, or the short name of the person's account; null for the scheduler. */
    requestedBy: text('requested_by'),
    /** Whose turn it takes (drizzle/queries/jobs/order/ordered-by.ts): vendors are shared among callers. */
    orderedBy: uuid('ordered_by').notNull().default(NOBODY),
    /** Accounts and keys that asked for it, which are told what becomes of it (src/http/callers/requester-of.ts); null: none. */
    watchers: uuid().array(),
    /** Tries that came to nothing, the oldest first (drizzle/queries/jobs/run/failure.ts); null: none. */
    failures: jsonb().$type<Record<string, unknown>[]>(),
    /** The span in which it was asked for (W3C Trace Context), which its own trace links to; null: none was recorded. */
    traceparent: text(),
    // Not rounded up, which would be ahead of now.
    notBefore: moment('not_before').notNull().default(sql`date_trunc('milliseconds', now())`),
    dispatchedAt: moment('dispatched_at'),
    leaseExpiresAt: moment('lease_expires_at'),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    updatedAt: moment('updated_at').notNull().default(sql`now()`),
    startedAt: moment('started_at'),
    finishedAt: moment('finished_at'),
    durationMs: integer('duration_ms'),
  },
  (table) => [
    uniqueIndex('scrape_jobs_live')
      .on(table.source, table.sourceParcelId, table.status)
      .where(sql`status in ('queued', 'running')`),
    index('scrape_jobs_status').on(table.status, table.id),
    index('scrape_jobs_source_status').on(table.source, table.status, table.id),
    index('scrape_jobs_to_dispatch')
      .on(table.vendor, table.priority, table.orderedBy, table.notBefore, table.id)
      .where(sql`status = 'queued' and dispatched_at is null`),
    index('scrape_jobs_dispatched')
      .on(table.vendor, table.priority, table.orderedBy, table.dispatchedAt)
      .where(sql`status = 'queued' and dispatched_at is not null`),
    index('scrape_jobs_lease').on(table.leaseExpiresAt).where(sql`status = 'running'`),
    // Errors of a day by source, from the index alone: INCLUDE (source) is in the baseline migration.
    index('scrape_jobs_errors').on(table.finishedAt).where(sql`status = 'error'`),
    index('scrape_jobs_parcel').on(table.sourceParcelId, table.id).where(sql`status in ('done', 'error')`),
    check('scrape_jobs_ends_after_start', sql`finished_at >= started_at and duration_ms >= 0`),
    index('scrape_jobs_finished').on(table.vendor, table.finishedAt).where(sql`status in ('done', 'error')`),
  ],
)

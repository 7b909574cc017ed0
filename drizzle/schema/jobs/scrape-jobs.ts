import { sql } from 'drizzle-orm'
import { check, index, integer, jsonb, pgEnum, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { sources } from '../sources/sources'
import { JOB_PRIORITIES, JOB_STATUSES, NOBODY } from '../values'

export const jobStatus = pgEnum('job_status', JOB_STATUSES)

export const jobPriority = pgEnum('job_priority', JOB_PRIORITIES)

/** The source of truth about scrape jobs; a queue contains only their ids. A parcel has at most one queued and one running job. */
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
    /** Options of scrape-now that a browser worker has to honor. */
    overrides: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    /** How often a worker claimed it. The number of the current attempt fences its writes. */
    attempts: integer().notNull().default(0),
    /** Attempts that do not count as failures: a stopping worker handed the job back, or the host's queue was too long. */
    handedBack: integer('handed_back').notNull().default(0),
    errorCode: text('error_code'),
    /**
     * The class of the failure if it is more specific than the code (core/sources/failure-classes.ts). Null: the code is specific
     * enough.
     */
    failureClass: text('failure_class'),
    errorMessage: text('error_message'),
    /** First 8 characters of the requesting key, or the short name of the person's account; null for the scheduler. */
    requestedBy: text('requested_by'),
    /** The caller whose turn the job takes, because callers share a vendor (drizzle/queries/jobs/order/ordered-by.ts). */
    orderedBy: uuid('ordered_by').notNull().default(NOBODY),
    /** Accounts and keys that requested it and receive its events (src/http/callers/requester-of.ts); null: none. */
    watchers: uuid().array(),
    /** Failed attempts, oldest first (drizzle/queries/jobs/run/failure.ts); null: none. */
    failures: jsonb().$type<Record<string, unknown>[]>(),
    /** The span of the request (W3C Trace Context). The job's own trace links to it. Null: none was recorded. */
    traceparent: text(),
    // Truncated, because a rounded time may be after now.
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
    // For counting a day's errors by source with an index-only scan. The baseline migration adds INCLUDE (source).
    index('scrape_jobs_errors').on(table.finishedAt).where(sql`status = 'error'`),
    index('scrape_jobs_parcel').on(table.sourceParcelId, table.id).where(sql`status in ('done', 'error')`),
    check('scrape_jobs_ends_after_start', sql`finished_at >= started_at and duration_ms >= 0`),
    // For the last runs of a source, without reading rows.
    index('scrape_jobs_runs')
      .on(table.source, table.finishedAt, table.errorCode, table.failureClass)
      .where(sql`status in ('done', 'error')`),
    index('scrape_jobs_finished').on(table.vendor, table.finishedAt).where(sql`status in ('done', 'error')`),
  ],
)

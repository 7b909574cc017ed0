import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { moment } from './columns'
import { jobStatus } from './scrape-jobs'
import { sources } from './sources'

/** Full scrapes of sources whose vendor gives whole layers, page by page. A source has at most one that is queued or running. */
export const crawls = pgTable(
  'crawls',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    source: text()
      .notNull()
      .references(() => sources.source, { onUpdate: 'cascade' }),
    /** As the source was when the crawl began: a cursor means nothing on another layer. */
    vendor: text().notNull(),
    baseUrl: text('base_url').notNull(),
    vendorConfig: jsonb('vendor_config').$type<Record<string, unknown>>().notNull(),
    status: jobStatus().notNull().default('queued'),
    /** Where the next page begins, in the adapter's own words; null before the first. Stored with the page before it. */
    cursor: text(),
    /** How often a worker took it. The number of the try that runs fences what it writes. */
    attempts: integer().notNull().default(0),
    /** Tries that failed since the last page. */
    failures: integer().notNull().default(0),
    pages: integer().notNull().default(0),
    inserted: bigint({ mode: 'number' }).notNull().default(0),
    updated: bigint({ mode: 'number' }).notNull().default(0),
    unchanged: bigint({ mode: 'number' }).notNull().default(0),
    rejected: bigint({ mode: 'number' }).notNull().default(0),
    /** Features or rows of all pages. A parcel may be made of several. */
    records: bigint({ mode: 'number' }).notNull().default(0),
    /** What the layer says that it has; null when it does not say. */
    total: bigint({ mode: 'number' }),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    /** Null: the scheduler, and then it ends when the source is switched off. */
    requestedBy: text('requested_by'),
    notBefore: moment('not_before').notNull().default(sql`date_trunc('milliseconds', now())`),
    leaseExpiresAt: moment('lease_expires_at'),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    startedAt: moment('started_at'),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    uniqueIndex('crawls_live').on(table.source).where(sql`status in ('queued', 'running')`),
    index('crawls_source').on(table.source, table.id),
    check('crawls_ends_after_start', sql`finished_at >= started_at`),
  ],
)

/** What a crawl could not take, and why: the first of them, so that a wrong setting does not fill the disk. */
export const crawlRejects = pgTable(
  'crawl_rejects',
  {
    crawlId: uuid('crawl_id')
      .notNull()
      .references(() => crawls.id, { onDelete: 'cascade' }),
    /** Grows: the order in which they came. */
    id: bigint({ mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    /** The record, in the portal's words. */
    what: text().notNull(),
    reason: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.crawlId, table.id] })],
)

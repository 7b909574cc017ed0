import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'

/** Responses to requests with an Idempotency-Key. A repeated request gets the response of the first one. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** SHA-256 of the caller's API key: two callers may choose the same idempotency key. */
    callerHash: text('caller_hash').notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    /** SHA-256 of method, path and body. */
    requestHash: text('request_hash').notNull(),
    /** Null: the request is tied to a scrape job, and its response was not stored. */
    status: integer(),
    body: text(),
    /** The scrape job that the request created or shared; null: the request did something else, in one transaction with this row. */
    jobId: uuid('job_id'),
    createdAt: moment('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.callerHash, table.idempotencyKey] }),
    index('idempotency_keys_created').on(table.createdAt),
  ],
)

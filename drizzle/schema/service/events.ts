import { sql } from 'drizzle-orm'
import { bigint, customType, integer, jsonb, pgEnum, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { jobStatus } from '../jobs/scrape-jobs'
import { EVENT_KINDS } from '../values'

export const eventKind = pgEnum('event_kind', EVENT_KINDS)

/** The id of a transaction, which is never reused. It is text here, because only the database compares it. */
const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })

/**
 * Events in the order of their transactions, written by triggers (functions/events.sql) and kept for an hour. Readers stop before the
 * oldest transaction that is still open, so that no event can appear before a position they have already read
 * (drizzle/queries/service/events.ts). A job's event contains only the fields that change. The others are read from the job's row.
 */
export const events = pgTable(
  'events',
  {
    xid: transactionId('xid').notNull().default(sql`pg_current_xact_id()`),
    id: bigint({ mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    kind: eventKind().notNull(),
    at: moment('at').notNull().default(sql`now()`),
    /** Who receives the event, in addition to admins; null: only admins. */
    watchers: uuid().array(),
    jobId: uuid('job_id'),
    jobStatus: jobStatus('job_status'),
    attempts: integer(),
    errorMessage: text('error_message'),
    /** The whole event, for kinds other than `job`. */
    payload: jsonb().$type<Record<string, unknown>>(),
  },
  (table) => [primaryKey({ columns: [table.xid, table.id] })],
)

/** One row: the last deleted event. A reader that continues from an earlier one has missed something. */
export const eventsForgotten = pgTable('events_forgotten', {
  xid: transactionId('xid').notNull(),
  id: bigint({ mode: 'bigint' }).notNull(),
})

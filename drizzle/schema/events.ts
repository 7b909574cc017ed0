import { sql } from 'drizzle-orm'
import { bigint, customType, integer, jsonb, pgEnum, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from './columns'
import { jobStatus } from './scrape-jobs'

export const EVENT_KINDS = ['job', 'crawl', 'reindex', 'tile_build'] as const
export type EventKind = (typeof EVENT_KINDS)[number]
export const eventKind = pgEnum('event_kind', EVENT_KINDS)

/** The id of a transaction, which never comes again. As text: it is compared by the database, never counted with. */
const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })

/**
 * What happened, in the order of the transactions that did it; written by triggers (functions/events.sql), kept for an hour. Readers
 * take what transactions wrote that all came before the oldest one still under way: so nothing can turn up behind them
 * (drizzle/queries/service/events.ts). A job's event holds what of the job changes; the rest of it is read from its row.
 */
export const events = pgTable(
  'events',
  {
    xid: transactionId('xid').notNull().default(sql`pg_current_xact_id()`),
    id: bigint({ mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    kind: eventKind().notNull(),
    at: moment('at').notNull().default(sql`now()`),
    /** Who is told, besides admins; null: nobody. */
    watchers: uuid().array(),
    jobId: uuid('job_id'),
    jobStatus: jobStatus('job_status'),
    attempts: integer(),
    errorMessage: text('error_message'),
    /** Of the other kinds: all that is told. */
    payload: jsonb().$type<Record<string, unknown>>(),
  },
  (table) => [primaryKey({ columns: [table.xid, table.id] })],
)

/** One row: up to where events are forgotten. Whoever asks for what came after an earlier one has missed something. */
export const eventsForgotten = pgTable('events_forgotten', {
  xid: transactionId('xid').notNull(),
  id: bigint({ mode: 'bigint' }).notNull(),
})

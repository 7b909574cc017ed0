import { sql } from 'drizzle-orm'
import { bigint, index, integer, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import { MESSAGE_CHARACTERS } from '../../../core/bounds'
import { atMostCharacters, moment } from '../columns'
import { watches } from './watches'

/** `recorded`: the watch had no webhook, so nothing is sent. `failed`: it was given up. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'recorded'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/**
 * One row for each change that a watch matched, and for each test of a webhook. The id is the `webhook-id` of all its requests. The body
 * is not stored: it is made from the change log, whose rows never change.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    watchId: uuid('watch_id')
      .notNull()
      .references(() => watches.id, { onDelete: 'cascade' }),
    /** The change. Null: a test. */
    version: bigint({ mode: 'number' }),
    /** `at` of the change, which finds its partition. */
    changedAt: moment('changed_at'),
    /** Deliveries of a watch and parcel are sent one after another, by version. */
    parcelId: uuid('parcel_id'),
    status: text({ enum: DELIVERY_STATUSES }).notNull(),
    attempts: integer().notNull().default(0),
    nextAttemptAt: moment('next_attempt_at').notNull().default(sql`now()`),
    /** When it was matched or last replayed. The time until it is given up begins here. */
    queuedAt: moment('queued_at').notNull().default(sql`now()`),
    /** Status, text and duration of the receiver's last response. */
    responseStatus: integer('response_status'),
    response: text(),
    durationMs: integer('duration_ms'),
    /** Why the last request failed. */
    error: text(),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    finishedAt: moment('finished_at'),
  },
  (table) => [
    // A change is delivered to a watch once.
    unique('webhook_deliveries_change').on(table.watchId, table.version),
    index('webhook_deliveries_watch').on(table.watchId, table.id),
    index('webhook_deliveries_due').on(table.watchId, table.nextAttemptAt).where(sql`status = 'pending'`),
    index('webhook_deliveries_order').on(table.watchId, table.parcelId, table.version).where(sql`status = 'pending'`),
    index('webhook_deliveries_finished').on(table.finishedAt).where(sql`finished_at is not null`),
    atMostCharacters('webhook_deliveries_error', table.error, MESSAGE_CHARACTERS),
    atMostCharacters('webhook_deliveries_response', table.response, MESSAGE_CHARACTERS),
  ],
)

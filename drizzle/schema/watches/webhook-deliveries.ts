import { sql } from 'drizzle-orm'
import { bigint, index, integer, pgTable, text, unique, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { MESSAGE_CHARACTERS } from '../../../core/bounds'
import { alertMessages } from '../alerts/alerts'
import { atMostCharacters, moment } from '../columns'
import { DELIVERY_STATUSES } from '../values'
import { watches } from './watches'

/**
 * One row for each change or message about alerts that a watch matched, and for each test of a webhook. The id is the `webhook-id` of
 * all its requests. The body is not stored. It is generated from the change log or from `alert_messages`, whose rows never change.
 */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    watchId: uuid('watch_id')
      .notNull()
      .references(() => watches.id, { onDelete: 'cascade' }),
    /** The change. Null: a test, or a message about alerts. */
    version: bigint({ mode: 'number' }),
    /** `at` of the change, which identifies its partition. */
    changedAt: moment('changed_at'),
    /** Deliveries of a watch and parcel are sent one after another, by version. */
    parcelId: uuid('parcel_id'),
    /** The message about alerts, and its rule. Messages of a watch and rule are sent one after another, by id. */
    alertMessage: bigint('alert_message', { mode: 'number' }).references(() => alertMessages.id, {
      onDelete: 'cascade',
    }),
    alertRule: text('alert_rule'),
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
    uniqueIndex('webhook_deliveries_message')
      .on(table.alertMessage, table.watchId)
      .where(sql`alert_message is not null`),
    index('webhook_deliveries_watch').on(table.watchId, table.id),
    index('webhook_deliveries_failed').on(table.watchId, table.id).where(sql`status = 'failed'`),
    index('webhook_deliveries_due').on(table.watchId, table.nextAttemptAt).where(sql`status = 'pending'`),
    // Its reader says why this is an array.
    index('webhook_deliveries_order')
      .on(sql`(array[watch_id, parcel_id])`, table.version)
      .where(sql`status = 'pending'`),
    index('webhook_deliveries_messages')
      .on(table.watchId, table.alertRule, table.alertMessage)
      .where(sql`status = 'pending' and alert_message is not null`),
    index('webhook_deliveries_finished').on(table.finishedAt).where(sql`finished_at is not null`),
    atMostCharacters('webhook_deliveries_error', table.error, MESSAGE_CHARACTERS),
    atMostCharacters('webhook_deliveries_response', table.response, MESSAGE_CHARACTERS),
  ],
)

import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, json, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { TEXT, WATCH_BOUNDS } from '../../../core/bounds'
import { atMostCharacters, box, moment } from '../columns'
import { accounts } from '../people/accounts'
import { sources } from '../sources/sources'
import { WATCH_KINDS } from '../values'

/**
 * Requests for messages about changes of parcels. The matcher (src/watches/watch-matcher.ts) compares them with the change log.
 * `source` and `source_parcel_id` are not checked against parcels, so that a watch can wait for a parcel that does not exist yet.
 */
export const watches = pgTable(
  'watches',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    /** The account, or the key without an account, that the watch belongs to, and that its events list under `watchers`. */
    owner: uuid().notNull(),
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'cascade' }),
    /**
     * The SHA-256 of a key without an account. If the key is revoked, the watch stops. A bootstrap key cannot be revoked: the watches of
     * one that the operator has removed go on.
     */
    keyHash: text('key_hash'),
    /** The short name of the owner, which callers see. */
    createdBy: text('created_by').notNull(),
    kind: text({ enum: WATCH_KINDS }).notNull(),
    source: text().references(() => sources.source, { onUpdate: 'cascade' }),
    sourceParcelId: text('source_parcel_id'),
    ownerName: text('owner_name'),
    ownerNameNormalized: text('owner_name_normalized').generatedAlwaysAs(sql`normalize_name(owner_name)`),
    polygon: json(),
    bbox: box('bbox'),
    /** Of actions of `changed`, only those of these fields match. Null: all. */
    fields: text().array(),
    /** Null: the watch has no webhook. Its changes are only logged and sent as events. */
    webhookUrl: text('webhook_url'),
    /** Signs requests, so it cannot be stored as a hash. */
    webhookSecret: text('webhook_secret'),
    /** The origin of `webhook_url`. All webhooks of one origin share one queue. */
    receiver: text(),
    active: boolean().notNull().default(true),
    /** Only changes after this version of the log match. */
    afterVersion: bigint('after_version', { mode: 'number' }).notNull(),
    /** Failed requests to the webhook since the last successful one. */
    failures: integer().notNull().default(0),
    /** Since when all requests have failed. Null: the last one succeeded, or none was sent. */
    failingSince: moment('failing_since'),
    /** When the receiver said that it wants no more requests. Null: it did not, or the watch changed later. */
    goneAt: moment('gone_at'),
    /** How often sending was paused since the last successful request. */
    holds: integer().notNull().default(0),
    /** After several failures in a row, nothing is sent until then. */
    heldUntil: moment('held_until'),
    lastDeliveredAt: moment('last_delivered_at'),
    /** When a delivery was last given up. */
    lastFailedAt: moment('last_failed_at'),
    /** Why the last request failed. Null: it succeeded. */
    lastError: text('last_error'),
    /** Changes that were skipped because too many deliveries were waiting. */
    missed: bigint({ mode: 'number' }).notNull().default(0),
    /** The version before the first skipped change. `/v1/changes` has them all. */
    missedAfter: bigint('missed_after', { mode: 'number' }),
    createdAt: moment('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    atMostCharacters('watches_source_parcel_id', table.sourceParcelId, TEXT.id),
    atMostCharacters('watches_owner_name', table.ownerName, TEXT.name),
    atMostCharacters('watches_webhook_url', table.webhookUrl, WATCH_BOUNDS.urlCharacters),
    check(
      'watches_target',
      sql`case kind
        when 'parcel' then num_nulls(source, source_parcel_id) = 0 and num_nonnulls(owner_name, polygon) = 0
        when 'source' then source is not null and num_nonnulls(source_parcel_id, owner_name, polygon) = 0
        when 'owner' then owner_name is not null and num_nonnulls(source, source_parcel_id, polygon) = 0
        when 'polygon' then polygon is not null and num_nonnulls(source, source_parcel_id, owner_name) = 0
        when 'alerts' then num_nonnulls(source, source_parcel_id, owner_name, polygon, fields) = 0
        else false end`,
    ),
    check('watches_bbox_with_polygon', sql`(polygon is null) = (bbox is null)`),
    check('watches_webhook', sql`num_nulls(webhook_url, webhook_secret, receiver) in (0, 3)`),
    index('watches_owned').on(table.owner, table.id),
    index('watches_account').on(table.accountId),
    index('watches_source').on(table.source, table.sourceParcelId).where(sql`active and source is not null`),
    index('watches_name').on(table.ownerNameNormalized).where(sql`active and kind = 'owner'`),
    index('watches_box').using('gist', table.bbox).where(sql`active and kind = 'polygon'`),
    index('watches_receiver').on(table.receiver),
  ],
)

/** One row: the version of the change log up to which the matcher has compared changes with watches. */
export const watchProgress = pgTable('watch_progress', { version: bigint({ mode: 'number' }).notNull() })

import { sql } from 'drizzle-orm'
import { bigint, boolean, doublePrecision, index, json, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { ALERT_RULE_NAMES } from '../../../core/alerts/alert-rules'
import { moment } from '../columns'

/** An operator's changes to a rule (core/alerts/alert-rules.ts). A rule without a row is as in that table. */
export const alertRules = pgTable('alert_rules', {
  rule: text({ enum: ALERT_RULE_NAMES as [string, ...string[]] }).primaryKey(),
  /** Null: the default. */
  threshold: doublePrecision(),
  active: boolean().notNull().default(true),
  updatedAt: moment('updated_at').notNull().default(sql`now()`),
  updatedBy: text('updated_by').notNull(),
})

/** Alerts, current and past. The leader of the scheduler raises and resolves them each minute (src/operations/alerts/judge-health.ts). */
export const alerts = pgTable(
  'alerts',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    rule: text().notNull(),
    /** What the alert is about: a source, a vendor, a layer, a folder or the origin of a receiver. Empty: the service. */
    subject: text().notNull(),
    /** The last measured value, in the unit of the rule's threshold, and in words. */
    value: doublePrecision().notNull(),
    text: text().notNull(),
    /** When it was raised. Null: the rule has none. */
    threshold: doublePrecision(),
    raisedAt: moment('raised_at').notNull().default(sql`now()`),
    /** Since when the value has been low enough to resolve it. Null: it is not low enough. */
    clearSince: moment('clear_since'),
    /** Null: it is still raised. */
    resolvedAt: moment('resolved_at'),
    /** When the message that it was raised was queued. Null: not yet, because it is silenced. */
    toldAt: moment('told_at'),
    /** Until then, no message says that it was raised. The next alert of the rule and subject takes over the silence. */
    silencedUntil: moment('silenced_until'),
    silencedBy: text('silenced_by'),
    silenceReason: text('silence_reason'),
  },
  (table) => [
    uniqueIndex('alerts_one_raised').on(table.rule, table.subject).where(sql`resolved_at is null`),
    index('alerts_of_subject').on(table.rule, table.subject, table.id),
    index('alerts_resolved').on(table.resolvedAt).where(sql`resolved_at is not null`),
  ],
)

/** Messages to webhooks: alerts of one rule that were raised or resolved in the same minute. A row never changes. */
export const alertMessages = pgTable('alert_messages', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  rule: text().notNull(),
  state: text({ enum: ['raised', 'resolved'] }).notNull(),
  /** The number of alerts. The body has at most MAX_ALERTS of them. */
  count: bigint({ mode: 'number' }).notNull(),
  /** The `data` of the requests, without the id of the watch. */
  body: json().notNull(),
  createdAt: moment('created_at').notNull().default(sql`now()`),
})

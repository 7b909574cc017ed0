import { sql } from 'drizzle-orm'
import { boolean, index, jsonb, pgEnum, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { FINDINGS, STORED_JSON_BYTES } from '../../../core/bounds'
import { atMostBytes, atMostCharacters, moment } from '../columns'
import { FINDING_CATEGORIES, SEVERITIES } from '../values'
import { parcels } from './parcels'

export const findingSeverity = pgEnum('finding_severity', SEVERITIES)
export const findingCategory = pgEnum('finding_category', FINDING_CATEGORIES)

/** Findings of the review engine. There is one row per parcel, rule and subject, so that a finding keeps its id as long as it applies. */
export const findings = pgTable(
  'findings',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    parcelId: uuid('parcel_id')
      .notNull()
      .references(() => parcels.id, { onDelete: 'cascade' }),
    rule: text().notNull(),
    subject: text().notNull().default(''),
    severity: findingSeverity().notNull(),
    category: findingCategory().notNull(),
    evidence: jsonb().$type<Record<string, unknown>>().notNull(),
    suggestedAction: text('suggested_action').notNull(),
    generatedAt: moment('generated_at').notNull().default(sql`now()`),
    /** Whether it was dismissed with this evidence. Triggers set it (functions/findings.sql). */
    isDismissed: boolean('is_dismissed').notNull().default(false),
  },
  (table) => [
    unique('findings_parcel_rule_subject').on(table.parcelId, table.rule, table.subject),
    atMostCharacters('findings_subject', table.subject, FINDINGS.subject),
    atMostBytes('findings_evidence', table.evidence, STORED_JSON_BYTES.evidence),
    // One index for each filter of the list of all findings. Each query reads one range, newest first, however old the rows are.
    index('findings_dismissed').on(table.isDismissed, table.id),
    index('findings_severity').on(table.severity, table.id),
    index('findings_category').on(table.category, table.id),
    index('findings_severity_category').on(table.severity, table.category, table.id),
  ],
)

/**
 * Findings that an operator dismissed. A finding is dismissed as long as its evidence is the same, even if it disappears and comes
 * back. If the evidence changes, it is open again.
 */
export const findingDismissals = pgTable(
  'finding_dismissals',
  {
    parcelId: uuid('parcel_id')
      .notNull()
      .references(() => parcels.id, { onDelete: 'cascade' }),
    rule: text().notNull(),
    subject: text().notNull(),
    /** MD5 of the evidence as text. */
    evidenceHash: text('evidence_hash').notNull(),
    reason: text().notNull(),
    /** The first 8 characters of a key, or the short name of an account. */
    dismissedBy: text('dismissed_by').notNull(),
    dismissedAt: moment('dismissed_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.parcelId, table.rule, table.subject, table.evidenceHash] }),
    atMostCharacters('finding_dismissals_reason', table.reason, FINDINGS.reason),
  ],
)

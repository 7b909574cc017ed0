import { sql } from 'drizzle-orm'
import { check, index, integer, jsonb, pgEnum, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { moment } from '../columns'
import { CONCURRENCY_MODES } from '../values'

export const concurrencyMode = pgEnum('concurrency_mode', CONCURRENCY_MODES)

/** How many scrapes of a vendor's portals may run at the same time, and how the tuner may change that. */
export const vendorConcurrency = pgTable(
  'vendor_concurrency',
  {
    vendor: text().primaryKey(),
    minConcurrency: integer('min_concurrency').notNull(),
    maxConcurrency: integer('max_concurrency').notNull(),
    targetConcurrency: integer('target_concurrency').notNull(),
    mode: concurrencyMode().notNull().default('auto'),
    slowThresholdMs: integer('slow_threshold_ms').notNull(),
    fastThresholdMs: integer('fast_threshold_ms').notNull(),
    stepSize: integer('step_size').notNull().default(1),
    signalWindowMinutes: integer('signal_window_minutes').notNull().default(10),
    lastSignal: text('last_signal'),
    lastTunedAt: moment('last_tuned_at'),
    /** What the tuner remembers between cycles (src/scrape/tuner/decide.ts); null: it starts from scratch. */
    tunerState: jsonb('tuner_state').$type<Record<string, unknown>>(),
    /** When the breaker opened because too many jobs failed: one job a minute may start until one succeeds. Null: the breaker is closed. */
    breakerOpenedAt: moment('breaker_opened_at'),
    /** When the last such job started. */
    probedAt: moment('probed_at'),
    /** Since when an operator has paused the vendor: no scrape starts. Null: not paused. */
    pausedAt: moment('paused_at'),
    /** When the pause ends by itself; null: when an operator resumes the vendor. */
    pausedUntil: moment('paused_until'),
    pauseReason: text('pause_reason'),
    pausedBy: text('paused_by'),
    updatedAt: moment('updated_at').notNull().default(sql`now()`),
    updatedBy: text('updated_by'),
  },
  (table) => [
    check(
      'vendor_concurrency_bounds',
      sql`1 <= ${table.minConcurrency} and ${table.minConcurrency} <= ${table.maxConcurrency}`,
    ),
    check(
      'vendor_concurrency_target',
      sql`${table.targetConcurrency} between ${table.minConcurrency} and ${table.maxConcurrency}`,
    ),
    check(
      'vendor_concurrency_thresholds',
      sql`0 < ${table.fastThresholdMs} and ${table.fastThresholdMs} < ${table.slowThresholdMs}`,
    ),
    check('vendor_concurrency_step', sql`${table.stepSize} >= 1`),
    check(
      'vendor_concurrency_pause',
      sql`(${table.pausedAt} is null) = (${table.pauseReason} is null) and (${table.pausedAt} is null) = (${table.pausedBy} is null)`,
    ),
    check('vendor_concurrency_window', sql`${table.signalWindowMinutes} >= 1`),
  ],
)

/** Every change of a target, by the tuner or a person, with its reason. */
export const tuningLog = pgTable(
  'tuning_log',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    vendor: text()
      .notNull()
      .references(() => vendorConcurrency.vendor, { onDelete: 'cascade' }),
    previousTarget: integer('previous_target').notNull(),
    newTarget: integer('new_target').notNull(),
    reason: text().notNull(),
    signals: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    /** `auto`, the first 8 characters of a key, or the short name of a person's account. */
    actor: text().notNull(),
    createdAt: moment('created_at').notNull().default(sql`now()`),
  },
  (table) => [index('tuning_log_vendor').on(table.vendor, table.id.desc())],
)

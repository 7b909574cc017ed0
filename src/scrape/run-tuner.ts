import type { Sql, Transaction } from '../../core/postgres/database'
import type { Lead } from '../../core/postgres/leader'
import { forgetAttempts } from '../../drizzle/queries/jobs/forget-attempts'
import { advanceErrorTallies } from '../../drizzle/queries/tuner/advance-error-tallies'
import { foldTallies } from '../../drizzle/queries/tuner/fold-tallies'
import { keepHistory } from '../../drizzle/queries/tuner/keep-history'
import { listTunerRows, lockTuner, type TunerRow, writeTunerResults } from '../../drizzle/queries/tuner/tuner-cycle'
import { insertTuningEntries } from '../../drizzle/queries/tuner/tuning-log'
import { decide, FRESH_STATE, type TunerState } from './tuner/decide'
import { toRecordedSignals } from './tuner/recorded-signals'
import { SETTLE_SHARE } from './tuner/settled-at'

/** What the tuner decided for one vendor. */
export interface VendorDecision {
  vendor: string
  mode: 'auto' | 'manual'
  previousTarget: number
  newTarget: number
  /** The target moved, or the breaker opened or closed: such decisions are in the tuning log. */
  changed: boolean
  reason: string
  /** By the names of the tuning log. */
  signals: Record<string, number | null>
}

/**
 * A cycle in a transaction of its own, after which tries are forgotten that no later cycle needs. With a `lead` it writes under that
 * lead or not at all.
 */
export const runTuner = async (
  sql: Sql,
  { lead, ...options }: { minuteMs?: number; lead?: Lead } = {},
): Promise<VendorDecision[]> => {
  const begin = <Result>(write: (tx: Transaction) => Promise<Result>) =>
    (lead === undefined ? sql.begin(write) : lead.begin(sql, write)) as Promise<Result>
  const decisions = await begin((tx) => runTunerCycle(tx, options))
  await begin(forgetAttempts)
  return decisions
}

/**
 * One cycle: gathers the signals of all vendors, decides, and writes targets and log. Cycles that come at once take turns until their
 * transactions end, and settings cannot change under one. `minuteMs` shortens the minutes of `signal_window_minutes`, for trials.
 */
export const runTunerCycle = async (
  tx: Transaction,
  { minuteMs = 60_000 }: { minuteMs?: number } = {},
): Promise<VendorDecision[]> => {
  await lockTuner(tx)
  const decided = (await listTunerRows(tx, { minuteMs, settleShare: SETTLE_SHARE })).map(decideVendor)
  await writeTunerResults(
    tx,
    decided.map(({ vendor, newTarget, changed, reason, state }) => {
      return { vendor, target: newTarget, changed, reason, state, breakerOpenedAt: state.breakerOpenedAt }
    }),
  )
  await insertTuningEntries(
    tx,
    decided.filter(({ changed }) => changed).map((decision) => ({ ...decision, actor: 'auto' })),
  )
  await advanceErrorTallies(tx)
  await foldTallies(tx)
  await keepHistory(tx)
  return decided.map(({ state: _, ...decision }) => decision)
}

const decideVendor = (row: TunerRow): VendorDecision & { state: TunerState } => {
  const before: TunerState = { ...FRESH_STATE, ...(row.state as Partial<TunerState> | null) }
  const { target, reason, state } = decide(row, row.signals, before)
  return {
    vendor: row.vendor,
    mode: row.mode,
    previousTarget: row.targetConcurrency,
    newTarget: target,
    changed: target !== row.targetConcurrency || state.breakerOpenedAt !== before.breakerOpenedAt,
    reason,
    signals: toRecordedSignals(row.signals),
    state,
  }
}

import type { Transaction } from '../../core/postgres/database'
import { listTunerRows, lockTuner, type TunerRow, writeTunerResults } from '../../drizzle/queries/tuner/tuner-cycle'
import { insertTuningEntries } from '../../drizzle/queries/tuner/tuning-log'
import { decide, FRESH_STATE, type TunerState } from './tuner/decide'
import { toRecordedSignals } from './tuner/recorded-signals'
import { SETTLE_SHARE } from './tuner/settled-at'

/** The tuner's decision for one vendor. */
export interface VendorDecision {
  vendor: string
  mode: 'auto' | 'manual'
  previousTarget: number
  newTarget: number
  /** The target changed, or the breaker opened or closed. The tuning log records such decisions. */
  changed: boolean
  reason: string
  /** Keys are the names used in the tuning log. */
  signals: Record<string, number | null>
}

/**
 * One cycle: reads the signals of all vendors, decides, and writes the targets and the log. A lock held until the transaction ends
 * makes concurrent cycles run one after another, and keeps settings from changing during a cycle. `minuteMs` is the length of a
 * minute in `signal_window_minutes`; trials make it shorter.
 */
export const runTuner = async (
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

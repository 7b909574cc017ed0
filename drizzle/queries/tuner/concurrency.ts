import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import type { CONCURRENCY_MODES } from '../../schema/values'

/** An operator's settings for a vendor. */
export interface ConcurrencySettings {
  min_concurrency: number
  max_concurrency: number
  target_concurrency: number
  mode: (typeof CONCURRENCY_MODES)[number]
  slow_threshold_ms: number
  fast_threshold_ms: number
  step_size: number
  signal_window_minutes: number
}

/** The fields in the API. `v` is the vendor. */
const vendorFields = (db: Db) => db`
  vendor, min_concurrency, max_concurrency, target_concurrency, mode, slow_threshold_ms, fast_threshold_ms, step_size,
  signal_window_minutes, last_signal, iso_utc(last_tuned_at) as last_tuned_at, iso_utc(updated_at) as updated_at, updated_by,
  case when is_paused(v.paused_at, v.paused_until) then json_build_object('since', iso_utc(paused_at), 'until', iso_utc(paused_until), 'reason', pause_reason,
    'by', paused_by) end as pause`

/** Vendors by name, as JSON texts; all of them when `limit` is null. */
export const listVendors = (
  db: Db,
  page: { after: string | null; limit: number | null },
): Promise<{ vendor: string; body: string }[]> =>
  db<{ vendor: string; body: string }[]>`
    select vendor, row_to_json(row)::text as body from (
      select ${vendorFields(db)} from vendor_concurrency v
      ${page.after === null ? db`` : db`where vendor > ${page.after}`}
      order by vendor limit ${page.limit}
    ) row`

/** One vendor as JSON text; null when there is no such vendor. */
export const findVendor = async (db: Db, vendor: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(row)::text as body from (
      select ${vendorFields(db)} from vendor_concurrency v where vendor = ${vendor}
    ) row`
  return row?.body ?? null
}

/** A vendor's settings, locked until the transaction ends; null when there is no such vendor. */
export const lockSettings = async (tx: Transaction, vendor: string): Promise<ConcurrencySettings | null> => {
  const [row] = await tx<ConcurrencySettings[]>`
    select min_concurrency, max_concurrency, target_concurrency, mode, slow_threshold_ms, fast_threshold_ms, step_size,
      signal_window_minutes
    from vendor_concurrency where vendor = ${vendor} for update`
  return row ?? null
}

/**
 * Writes all settings of a vendor, and who changed them. The tuner's state was learned under the old settings, so it is reset: the
 * tuner starts again one window from now. Returns the row as JSON text.
 */
export const writeSettings = async (
  tx: Transaction,
  vendor: string,
  { settings, actor }: { settings: ConcurrencySettings; actor: string },
): Promise<string> => {
  const rows = await tx<{ body: string }[]>`
    with changed as (
      update vendor_concurrency set ${tx({ ...settings })}, breaker_opened_at = null, probed_at = null,
        tuner_state = jsonb_build_object('changedAt', floor(extract(epoch from clock_timestamp()) * 1000)),
        updated_at = now(), updated_by = ${actor}
      where vendor = ${vendor} returning *
    )
    select row_to_json(row)::text as body from (select ${vendorFields(tx)} from changed v) row`
  return onlyRow(rows).body
}

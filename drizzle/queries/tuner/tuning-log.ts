import type { Db } from '../../../core/postgres/database'
import type { TunerSettings } from '../../../core/sources/tuner'
import { idAt } from '../service/id-at'

export interface TuningEntry {
  vendor: string
  previousTarget: number
  newTarget: number
  reason: string
  signals: object
  /** `auto`, the first 8 characters of a key, or the short name of a person's account. */
  actor: string
}

export const insertTuningEntries = async (db: Db, entries: readonly TuningEntry[]): Promise<void> => {
  if (entries.length === 0) return
  await db`
    insert into tuning_log (vendor, previous_target, new_target, reason, signals, actor)
    select vendor, "previousTarget", "newTarget", reason, signals, actor
    from json_to_recordset(${JSON.stringify(entries)}::text::json) as r (
      vendor text, "previousTarget" int, "newTarget" int, reason text, signals jsonb, actor text
    )`
}

/** Entries as JSON texts, newest first; those of all vendors when `vendor` is null. */
export const listTuningLog = async (
  db: Db,
  { vendor, limit }: { vendor: string | null; limit: number },
): Promise<string[]> => {
  const rows = await db<{ body: string }[]>`
    select row_to_json(row)::text as body from (
      select id, vendor, previous_target, new_target, reason, signals, actor, iso_utc(created_at) as created_at
      from tuning_log ${vendor === null ? db`` : db`where vendor = ${vendor}`}
      order by id desc limit ${limit}
    ) row`
  return rows.map(({ body }) => body)
}

/** The last 1,000 decisions of the tuner about a vendor, with their signals, oldest first. Times are ISO 8601. */
export const listTunedSignals = async (
  db: Db,
  vendor: string,
): Promise<{ createdAt: string; previousTarget: number; newTarget: number; signals: object }[]> => {
  const rows = await db<{ createdAt: string; previousTarget: number; newTarget: number; signals: object }[]>`
    select iso_utc(created_at) as "createdAt", previous_target as "previousTarget", new_target as "newTarget", signals
    from tuning_log where vendor = ${vendor} and actor = 'auto' order by id desc limit 1000`
  return rows.reverse()
}

/** The settings that the tuner follows; null when there is no such vendor. */
export const findTunerSettings = async (db: Db, vendor: string): Promise<TunerSettings | null> => {
  const [row] = await db<TunerSettings[]>`
    select min_concurrency as "minConcurrency", max_concurrency as "maxConcurrency", slow_threshold_ms as "slowThresholdMs",
      fast_threshold_ms as "fastThresholdMs", step_size as "stepSize", signal_window_minutes * 60000 as "windowMs"
    from vendor_concurrency where vendor = ${vendor}`
  return row ?? null
}

/**
 * Deletes at most `limit` entries older than `days`, oldest first. Returns how many. Ids contain the creation time, so the primary key
 * finds them.
 */
export const deleteOldTuningEntries = async (
  db: Db,
  { days, limit }: { days: number; limit: number },
): Promise<number> => (await db`delete from tuning_log where id in (${oldTuningEntries(db, { days, limit })})`).count

/** The ids of the entries that `deleteOldTuningEntries` deletes. */
export const oldTuningEntries = (db: Db, { days, limit }: { days: number; limit: number }) => db<{ id: string }[]>`
  select id from tuning_log where id < ${idAt(db, db`${days} * interval '-1 day'`)} order by id limit ${limit}`

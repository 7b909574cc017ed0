import type { Db } from '../database'

export interface TuningEntry {
  vendor: string
  previousTarget: number
  newTarget: number
  reason: string
  signals: object
  /** `auto`, or the first 8 characters of a key. */
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

/** Entries as JSON texts, newest first; of all vendors when `vendor` is null. */
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

import type { Db } from '../../../core/postgres/database'

/** The years (UTC) of the change log that ended at least `months` ago and are not compacted, the oldest first. */
export const listYearsToCompact = async (db: Db, months: number): Promise<number[]> => {
  const rows = await db<{ year: number }[]>`
    select years_to_compact(now() - ${months} * interval '1 month') as year`
  return rows.map(({ year }) => year)
}

/**
 * Compacts a year of the change log (functions/compact-changes.sql says how), and returns how many changes are fewer. Null: another
 * process is compacting. Takes about 17 s for a million changes.
 */
export const compactChanges = async (db: Db, year: number): Promise<number | null> => {
  const [row] = await db<{ fewer: number | null }[]>`select compact_changes(${year})::float8 as fewer`
  return row?.fewer ?? null
}

/**
 * Whether changes of a load, crawl, job, replay or undo may be compacted: the cause was ordered, or its first change was made, in a year
 * that is.
 */
export const isCauseCompacted = async (db: Db, causeId: string): Promise<boolean> => {
  const [row] = await db<{ isCompacted: boolean }[]>`
    select coalesce(is_compacted(uuid_extract_timestamp(${causeId}::uuid)), false) or coalesce((
      select is_compacted(at) from parcel_changes where cause_id = ${causeId} order by version limit 1
    ), false) as "isCompacted"`
  return row?.isCompacted === true
}

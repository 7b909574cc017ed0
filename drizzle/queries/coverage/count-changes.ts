import type { Transaction } from '../../../core/postgres/database'
import { readWatermark } from '../changes/read-watermark'

/**
 * Adds the changes since the last call to `source_days`, at most `most` versions of the log. False: all changes are counted. Callers
 * wait for each other, because all update the same row.
 */
export const countChanges = async (tx: Transaction, most: number): Promise<boolean> => {
  const watermark = await readWatermark(tx)
  const [span] = await tx<{ from: number; to: number }[]>`
    update history_counted set changes_up_to = least(${watermark}::bigint, changes_up_to + ${most}::bigint)
    where changes_up_to < ${watermark}::bigint
    returning old.changes_up_to::float8 as "from", new.changes_up_to::float8 as "to"`
  if (span === undefined) return false
  await tx`
    insert into source_days as d (source, day, finished, errors, changes)
    select source, (at at time zone 'UTC')::date, 0, 0, count(*) from parcel_changes
    where version > ${span.from}::bigint and version <= ${span.to}::bigint and at > now() - interval '30 days'
    group by 1, 2
    on conflict (source, day) do update set changes = d.changes + excluded.changes`
  return span.to < watermark
}

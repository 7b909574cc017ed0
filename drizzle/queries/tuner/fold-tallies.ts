import type { Db } from '../../../core/postgres/database'

/**
 * Adds the rows of server processes to the row of pid 0 and deletes them, so that `source_tallies` stays small as processes start and
 * end. The sums do not change. Locked rows are left for the next call. Call it from one process at a time, in a short transaction: a
 * writer whose row is deleted waits until it ends.
 */
export const foldTallies = async (db: Db): Promise<void> => {
  await db`
    with held as (
      select source, pid from source_tallies where pid <> 0 for update skip locked
    ), gone as (
      delete from source_tallies t using held where t.source = held.source and t.pid = held.pid returning t.*
    )
    insert into source_tallies as t (source, pid, parcels, queued, running, errors, last_success_at, last_error_at)
    select source, 0, sum(parcels), sum(queued), sum(running), sum(errors), max(last_success_at), max(last_error_at)
    from gone group by source
    on conflict (source, pid) do update set parcels = t.parcels + excluded.parcels, queued = t.queued + excluded.queued,
      running = t.running + excluded.running, errors = t.errors + excluded.errors,
      last_success_at = greatest(t.last_success_at, excluded.last_success_at),
      last_error_at = greatest(t.last_error_at, excluded.last_error_at)`
}

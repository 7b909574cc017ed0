import type { Db } from '../database'

/**
 * Adds the rows of server processes that ended to the row of pid 0, so that `source_tallies` stays small. Figures do not change. One
 * caller at a time. A pid that comes back meanwhile only waits for the end of this statement.
 */
export const foldTallies = async (db: Db): Promise<void> => {
  await db`
    with gone as (
      delete from source_tallies where pid <> 0 and pid not in (select pid from pg_stat_activity) returning *
    )
    insert into source_tallies as t (source, pid, parcels, queued, running, last_success_at, last_error_at)
    select source, 0, sum(parcels), sum(queued), sum(running), max(last_success_at), max(last_error_at)
    from gone group by source
    on conflict (source, pid) do update set parcels = t.parcels + excluded.parcels, queued = t.queued + excluded.queued,
      running = t.running + excluded.running, last_success_at = greatest(t.last_success_at, excluded.last_success_at),
      last_error_at = greatest(t.last_error_at, excluded.last_error_at)`
}

import type { Db } from '../../../core/postgres/database'

/**
 * Adds the rows of server processes to the row of pid 0, so that `source_tallies` stays small however many come and go: what it
 * holds besides is what was written since. Figures do not change. Rows that are being written are left for the next time. One caller
 * at a time; a process whose row goes only waits for the end of this transaction, so let it be near.
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

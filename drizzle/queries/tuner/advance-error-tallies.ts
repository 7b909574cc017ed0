import type { Transaction } from '../../../core/postgres/database'

/**
 * Subtracts errors that ended more than a day ago from the tallies, so that source health has few errors left to count. The extra
 * minute keeps the limit behind `now()` of concurrent readers. Call it from one process at a time.
 */
export const advanceErrorTallies = async (tx: Transaction): Promise<void> => {
  // In the triggers of `scrape_jobs`, writers of errors this old wait for this lock and then read the new limit.
  await tx`select pg_advisory_xact_lock(hashtext('source_errors_since'))`
  await tx`
    with moved as (
      update source_errors_since set since = greatest(since, now() - interval '24 hours 1 minute')
      returning old.since as before, new.since
    )
    insert into source_tallies as t (source, pid, errors)
    select source, 0, -count(*) from scrape_jobs
    where status = 'error' and finished_at > (select before from moved) and finished_at <= (select since from moved)
    group by source
    on conflict (source, pid) do update set errors = t.errors + excluded.errors`
}

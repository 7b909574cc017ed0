import type { Transaction } from '../../../core/postgres/database'

/**
 * Takes errors off the tallies that ended more than a day ago, so that few are left for source health to count. The minute on top
 * keeps the moment behind the clock of whoever reads at this time. One caller at a time.
 */
export const advanceErrorTallies = async (tx: Transaction): Promise<void> => {
  // Writers of errors about that old wait, and see the new moment then (the triggers of `scrape_jobs`).
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

import type { Db } from '../../../../core/postgres/database'

/** The clock of the database, in ms since 1970. */
export const readClock = async (db: Db): Promise<number> => {
  const [row] = await db<{ ms: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`
  return row?.ms ?? Number.NaN
}

/**
 * Corrects the times of up to `limit` jobs of each kind below, and of as much other work, after the clock of the database was set back.
 * Otherwise they would wait until the clock shows again what it showed before. Returns how many rows it corrected: fewer than `limit` if
 * none are left. Each condition on jobs fits one partial index, because most jobs have ended. `leaseMs`, `workLeaseMs`: the longest lease
 * of a job, and of other work.
 *
 * - A job that changed in the future waits as long as it was meant to, counted from now. For other work this holds only before its first
 *   attempt: later ones do not store when they ended.
 * - A lease ends at most one lease from now: a live worker extends it in time.
 * - A job that was dispatched in the future was dispatched now.
 *
 * `least` leaves out nulls, so columns that can be null are compared.
 */
export const followClock = async (
  db: Db,
  { leaseMs, workLeaseMs, limit }: { leaseMs: number; workLeaseMs: number; limit: number },
): Promise<number> => {
  const jobs = await db`
    with waiting as (
      select id from scrape_jobs
      where status = 'queued' and dispatched_at is null and not_before > now() and updated_at > now()
      limit ${limit} for update skip locked
    ), dispatched as (
      select id from scrape_jobs where status = 'queued' and dispatched_at > now() limit ${limit} for update skip locked
    ), leased as (
      select id from scrape_jobs where status = 'running' and lease_expires_at > now() + ${leaseMs} * interval '1 ms'
      limit ${limit} for update skip locked
    )
    update scrape_jobs j set dispatched_at = case when j.dispatched_at > now() then now() else j.dispatched_at end,
      lease_expires_at = case when j.lease_expires_at > now() then least(j.lease_expires_at, now() + ${leaseMs} * interval '1 ms') else j.lease_expires_at end,
      not_before = greatest(least(j.not_before, now()), j.not_before - greatest(j.updated_at - now(), interval '0')),
      updated_at = least(j.updated_at, now())
    where j.id = any(array(select id from waiting union all select id from dispatched union all select id from leased))
    returning 1`
  const work = await db`
    with future as (
      select id from work
      where status = 'queued' and attempts = 0 and not_before > now() and created_at > now()
        or status = 'running' and lease_expires_at > now() + ${workLeaseMs} * interval '1 ms'
      limit ${limit} for update skip locked
    )
    update work w set lease_expires_at = case when w.lease_expires_at > now() then least(w.lease_expires_at, now() + ${workLeaseMs} * interval '1 ms') else w.lease_expires_at end,
      not_before = greatest(least(w.not_before, now()), w.not_before - greatest(w.created_at - now(), interval '0')),
      created_at = least(w.created_at, now())
    from future where w.id = future.id returning 1`
  return Math.max(jobs.length, work.length)
}

import type { Db } from '../../../../core/postgres/database'
import { onlyRow } from '../../../../core/postgres/only-row'

/** The clock of the database, in ms since 1970. */
export const readClock = async (db: Db): Promise<number> => {
  const rows = await db<{ ms: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`
  return onlyRow(rows).ms
}

/** The longest that these can last. */
export interface LongestTimes {
  /** The lease of a job, and of other work. */
  leaseMs: number
  workLeaseMs: number
  /** The pause of a watch whose receiver fails. */
  holdMs: number
}

/**
 * Corrects times after the clock of the database was set back: those of up to `limit` jobs of each kind below, of as much other work and
 * as many webhooks, and of all vendors. Otherwise they would wait until the clock shows again what it showed before. Returns how many
 * rows it corrected: fewer than `limit` if none are left. Each condition on jobs fits one partial index, because most jobs have ended.
 *
 * - A job that changed in the future waits as long as it was meant to, counted from now. For webhooks and other work this holds only before
 *   the first attempt: later ones do not store when they ended.
 * - A lease ends at most one lease from now: a live worker extends it in time. So does the pause of a watch.
 * - A job that was dispatched in the future was dispatched now. So were the last change of a target, the opening of a breaker and its probe:
 *   the tuner waits for a window after a change, and counts only what ended after it.
 *
 * `least` leaves out nulls, so columns that can be null are compared. Watches come before deliveries, and these before work, as in other
 * transactions.
 */
export const followClock = async (
  db: Db,
  { leaseMs, workLeaseMs, holdMs, limit }: LongestTimes & { limit: number },
): Promise<number> => {
  const vendors = await db`
    with clock as (select extract(epoch from now()) * 1000 as ms), future as (
      select vendor from vendor_concurrency, clock
      where probed_at > now() or breaker_opened_at > now() or (tuner_state ->> 'changedAt')::numeric > ms
      order by vendor for update of vendor_concurrency
    )
    update vendor_concurrency v set probed_at = case when v.probed_at > now() then now() else v.probed_at end,
      breaker_opened_at = case when v.breaker_opened_at > now() then now() else v.breaker_opened_at end,
      tuner_state = v.tuner_state || (
        select coalesce(jsonb_object_agg(key, floor(ms)), '{}') from jsonb_each_text(v.tuner_state)
        where key in ('changedAt', 'breakerOpenedAt') and value::numeric > ms
      )
    from future, clock where v.vendor = future.vendor returning 1`
  const watches = await db`
    update watches set held_until = now() + ${holdMs} * interval '1 ms'
    where held_until > now() + ${holdMs} * interval '1 ms' returning 1`
  const webhooks = await db`
    with future as (
      select late.id from watches w cross join lateral (
        select d.id from webhook_deliveries d
        where d.watch_id = w.id and d.status = 'pending' and d.next_attempt_at > now() and d.queued_at > now()
        limit ${limit} for update skip locked
      ) late limit ${limit}
    )
    update webhook_deliveries d set queued_at = now(),
      next_attempt_at = greatest(least(d.next_attempt_at, now()), d.next_attempt_at - (d.queued_at - now()))
    from future where d.id = future.id returning 1`
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
  return Math.max(vendors.length, watches.length, webhooks.length, jobs.length, work.length)
}

import type { Db } from '../../../core/postgres/database'

/**
 * Deletes attempts older than twice their vendor's signal window, and at least an hour old. For vendors without settings the limit is
 * an hour. Attempts that the history of vendors has not counted yet stay: a transaction that is open for hours, such as a backup, holds
 * the count back. Returns how many it deleted. The query jumps through the index from vendor to vendor, and then reads only old rows.
 */
export const forgetAttempts = async (db: Db): Promise<number> =>
  (
    await db`
      with recursive seen as (
        (select vendor from scrape_attempts order by vendor limit 1)
        union all
        select (select a.vendor from scrape_attempts a where a.vendor > seen.vendor order by a.vendor limit 1)
        from seen where seen.vendor is not null
      ), reach as (
        select vendor, least(up_to, now() - greatest(interval '1 hour', 2 * signal_window_minutes * interval '1 minute')) as oldest
        from history_counted cross join seen left join vendor_concurrency using (vendor) where vendor is not null
      )
      delete from scrape_attempts a using reach where a.vendor = reach.vendor and a.ended_at < reach.oldest`
  ).count

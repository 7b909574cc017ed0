import type { Db } from '../../../core/postgres/database'

/**
 * Deletes jobs that ended more than `days` ago, at most `limit`, the oldest of each vendor first. Returns how many it deleted. The query
 * jumps through the index from vendor to vendor, and then reads only old rows. Ids do not help: a large county at a slow vendor has a
 * million jobs that were queued long ago and have just ended. The planner expects an array to be short, so it never reads all jobs.
 */
export const deleteFinishedJobs = async (db: Db, { days, limit }: { days: number; limit: number }): Promise<number> =>
  (
    await db`
      with recursive vendors as (
        (select vendor from scrape_jobs where status in ('done', 'error') order by vendor limit 1)
        union all
        select (
          select j.vendor from scrape_jobs j where j.status in ('done', 'error') and j.vendor > v.vendor order by j.vendor limit 1
        ) from vendors v where v.vendor is not null
      )
      delete from scrape_jobs where id = any(array(
        select old.id from vendors v cross join lateral (
          select id from scrape_jobs j
          where j.vendor = v.vendor and j.status in ('done', 'error') and j.finished_at < now() - ${days} * interval '1 day'
          order by j.finished_at limit ${limit}
        ) old limit ${limit}
      ))`
  ).count

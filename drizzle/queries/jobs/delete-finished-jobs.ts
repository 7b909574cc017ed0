import type { Db } from '../../../core/postgres/database'

/**
 * Deletes jobs that ended more than `days` ago, oldest first. Returns how many it deleted. Ids contain the creation time, so the
 * index on status and id finds them.
 */
export const deleteFinishedJobs = async (db: Db, { days, limit }: { days: number; limit: number }): Promise<number> =>
  (
    await db`
      delete from scrape_jobs where id in (
        select old.id from unnest(array['done', 'error']::job_status[]) as ended (status) cross join lateral (
          select id from scrape_jobs j
          where j.status = ended.status and j.id < uuidv7(${days} * interval '-1 day')
            and j.finished_at < now() - ${days} * interval '1 day'
          order by j.id limit ${limit}
        ) old
      )`
  ).count

import type { Db } from '../../../../core/postgres/database'
import type { DispatchedJob } from './take-undispatched-jobs'

/**
 * A page, by id, of the queued jobs that were handed over at least `ageMs` ago: the queue ought to hold them. They are few,
 * and looked up before they are put in order: by id, the index of all that wait would be read.
 */
export const listDispatchedJobs = (
  db: Db,
  { ageMs, after, limit }: { ageMs: number; after: string | null; limit: number },
): Promise<DispatchedJob[]> => db<DispatchedJob[]>`
  with dispatched as materialized (
    select id, vendor, attempts, priority from scrape_jobs
    where status = 'queued' and dispatched_at is not null and dispatched_at <= now() - ${ageMs} * interval '1 ms'
  )
  select * from dispatched ${after === null ? db`` : db`where id > ${after}`} order by id limit ${limit}`

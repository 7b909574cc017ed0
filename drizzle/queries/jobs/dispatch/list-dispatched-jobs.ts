import type { Db } from '../../../../core/postgres/database'
import type { DispatchedJob } from './take-undispatched-jobs'

/**
 * A keyset page, by id, of queued jobs that were dispatched at least `ageMs` ago and should be in a queue. The statement selects them
 * before it sorts, because there are few. Reading in order of ids would scan the index of all queued jobs.
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

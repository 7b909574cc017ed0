import type { Db } from '../database'
import type { JobPriority } from '../schema/scrape-jobs'
import { isProbeDue } from './take-probe'

export interface DispatchedJob {
  id: string
  vendor: string
  attempts: number
  priority: JobPriority
}

/**
 * Takes jobs whose time has come and marks them as handed over, of each vendor and priority the oldest, and no more than fill
 * its queue up to `window`: the rest wait here, where waiting costs nothing. Each priority has a window of its own, so that a
 * queue full of refreshes has room for what goes before them. A vendor whose breaker is open gets one of each when a probe is
 * due, and none otherwise. A job waits for the running one of its parcel. Vendors and priorities are found by leaps through the
 * index, so that a million rows of one do not stand before another's.
 */
export const takeUndispatchedJobs = (db: Db, window: number): Promise<DispatchedJob[]> => db<DispatchedJob[]>`
  with recursive lines as (
    (select vendor, priority from scrape_jobs where status = 'queued' and dispatched_at is null order by vendor, priority limit 1)
    union all
    select next.vendor, next.priority from lines l cross join lateral (
      select j.vendor, j.priority from scrape_jobs j
      where j.status = 'queued' and j.dispatched_at is null and (j.vendor, j.priority) > (l.vendor, l.priority)
      order by j.vendor, j.priority limit 1
    ) next
  ), taken as (
    select oldest.id from lines l cross join lateral (
      select j.id from scrape_jobs j
      where j.vendor = l.vendor and j.priority = l.priority and j.status = 'queued' and j.dispatched_at is null
        and j.not_before <= now()
        and not exists (
          select from scrape_jobs r
          where r.source = j.source and r.source_parcel_id = j.source_parcel_id and r.status = 'running'
        )
      order by j.not_before, j.id
      limit greatest(0, coalesce((
        select case when ${isProbeDue(db)} then 1 else 0 end
        from vendor_concurrency c where c.vendor = l.vendor and c.breaker_opened_at is not null
      ), ${window}) - (
        select count(*) from scrape_jobs d
        where d.vendor = l.vendor and d.priority = l.priority and d.status = 'queued' and d.dispatched_at is not null
      ))
      for update skip locked
    ) oldest
  ), dispatched as (
    -- As an array, which is planned as a short one: of a join, whose limit is only known when it runs, a million rows
    -- would be expected, and all jobs read.
    update scrape_jobs j set dispatched_at = now() where j.id = any(array(select id from taken))
    returning j.id, j.vendor, j.attempts, j.priority, j.not_before
  )
  select id, vendor, attempts, priority from dispatched order by not_before, id`

import type { Db } from '../../../../core/postgres/database'
import type { JobPriority } from '../../../schema/values'
import { isProbeDue } from '../../tuner/take-probe'
import { parcelHasJob } from '../parcel-has-job'

export interface DispatchedJob {
  id: string
  vendor: string
  attempts: number
  priority: JobPriority
}

/** A queue holds as many jobs as its vendor finished in this time, plus two per job that may run. */
const WINDOW_SECONDS = 2
const WINDOW_PER_SLOT = 2

/**
 * Selects due jobs and marks them as dispatched. Each vendor and priority has a queue. It holds a window of jobs: about what the
 * vendor finishes in the next seconds, at most `mostWindow`. The other jobs wait in the table, where new jobs can overtake them.
 *
 * The callers with jobs in a queue share its window. They take turns, each with its oldest jobs first. So a caller's single job waits
 * for a few seconds of the vendor's work, however many jobs other callers have queued. The scheduler counts as a caller.
 *
 * A vendor with an open breaker gets one job of each priority when a probe is due, and otherwise none. A paused vendor gets none. A job waits while another job of
 * its parcel runs. The query jumps through the index from caller to caller, so a million rows of one caller do not slow it down.
 */
export const takeUndispatchedJobs = (db: Db, mostWindow: number): Promise<DispatchedJob[]> => db<DispatchedJob[]>`
  with recursive callers as (
    (
      select vendor, priority, ordered_by, not_before from scrape_jobs where status = 'queued' and dispatched_at is null
      order by vendor, priority, ordered_by, not_before limit 1
    )
    union all
    select next.* from callers c cross join lateral (
      select j.vendor, j.priority, j.ordered_by, j.not_before from scrape_jobs j
      where j.status = 'queued' and j.dispatched_at is null
        and (j.vendor, j.priority, j.ordered_by) > (c.vendor, c.priority, c.ordered_by)
      order by j.vendor, j.priority, j.ordered_by, j.not_before limit 1
    ) next
  ), ready as materialized (
    select vendor, priority, ordered_by from callers where not_before <= now()
  ), vendors as materialized (
    select vendor, c.breaker_opened_at is not null as is_broken,
      case when c.breaker_opened_at is not null and ${isProbeDue(db)} then 1 else 0 end as probes,
      least(${mostWindow}, ${WINDOW_PER_SLOT} * coalesce(c.target_concurrency, 1) + (
        select count(*) from (
          select from scrape_jobs e
          where e.vendor = v.vendor and e.status in ('done', 'error') and e.finished_at > now() - ${WINDOW_SECONDS} * interval '1 second'
          limit ${mostWindow}
        ) ended
      )) as window_size
    from (select distinct vendor from ready) v left join vendor_concurrency c using (vendor)
    where not is_paused(c.paused_at, c.paused_until)
  ), lines as materialized (
    select l.vendor, l.priority, v.is_broken, ceil(v.window_size::float8 / l.callers) as share,
      case when v.probes > 0 then v.probes - (
        select count(*) from scrape_jobs d
        where d.vendor = l.vendor and d.priority = l.priority and d.status = 'queued' and d.dispatched_at is not null
      ) else 0 end as probes
    from (select vendor, priority, count(*) as callers from ready group by vendor, priority) l join vendors v using (vendor)
  ), offered as (
    select oldest.id, oldest.not_before, l.vendor, l.priority, l.is_broken, l.probes,
      held.n + row_number() over (partition by vendor, priority, ordered_by order by oldest.not_before, oldest.id) as turn
    from ready join lines l using (vendor, priority)
    cross join lateral (
      select count(*) as n from scrape_jobs d
      where d.vendor = l.vendor and d.priority = l.priority and d.ordered_by = ready.ordered_by
        and d.status = 'queued' and d.dispatched_at is not null
    ) held
    cross join lateral (
      select j.id, j.not_before from scrape_jobs j
      where j.vendor = l.vendor and j.priority = l.priority and j.ordered_by = ready.ordered_by
        and j.status = 'queued' and j.dispatched_at is null and j.not_before <= now()
        and not ${parcelHasJob(db, 'running')}
      order by j.not_before, j.id
      limit greatest(0, case when l.is_broken then l.probes else l.share - held.n end)
      for update skip locked
    ) oldest
  ), taken as materialized (
    select id, turn from (
      select id, turn, is_broken, probes,
        row_number() over (partition by vendor, priority order by turn, not_before, id) as place
      from offered
    ) placed
    where not is_broken or place <= probes
  ), dispatched as (
    -- The planner expects an array to be short. For a join, whose limit is only known at run time, it would expect a million rows
    -- and read all jobs.
    update scrape_jobs j set dispatched_at = now() where j.id = any(array(select id from taken))
    returning j.id, j.vendor, j.attempts, j.priority, j.not_before
  )
  select id, vendor, attempts, priority from dispatched join taken using (id) order by turn, not_before, id`

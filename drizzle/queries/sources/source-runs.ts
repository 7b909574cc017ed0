import type { Db } from '../../../core/postgres/database'
import { classesOfCause } from '../../../core/sources/failure-classes'
import { CRAWL, classOfCrawl, isEndedCrawlOfSource } from '../crawls/crawl-work'

/** How many of a source's last runs are listed and judged. A run is a job or a crawl that has ended. */
export const MAX_RUNS = 50
/** The portal does not know the parcel, or shows another one. That is the fault of the source only if it happens to nearly all parcels. */
const UNKNOWN_PARCEL = [...classesOfCause('parcel'), 'page_missing']
/** Failures that say nothing about the source: a person or the service ended the scrape. */
const ENDED_BY_US = ['cancelled', 'worker_stopped', 'vendor_paused']
/** The pages of the portal have changed. */
const CHANGED_SITE = classesOfCause('site_changed').filter((name) => !UNKNOWN_PARCEL.includes(name))
/** With fewer runs, a share is chance. */
const MIN_RUNS_FOR_SHARE = 10
/** A portal that shows fewer than one parcel in this many is not believed when it says that it does not know a parcel. */
const FEWEST_SHOWN = 10
/** Maximum runs after the last good one that are counted. */
export const MAX_RUNS_COUNTED = 1_000

/** The class of a failed job `j`; null if it is done. */
export const classOfJob = (db: Db) => db`coalesce(j.failure_class, j.error_code)`

/** SQL for the crawls that have ended. There are few. */
const endedCrawls = (db: Db) => db`
  select w.id, w.source, ${classOfCrawl(db)} as class, w.finished_at from work w
  where w.kind = ${CRAWL} and w.status in ('done', 'error')`

/** SQL for the last runs of source `s`: the `class` of each, null if it is good. */
const lastRuns = (db: Db) => db`(
  select class from (
    (select ${classOfJob(db)} as class, j.finished_at from scrape_jobs j
      where j.source = s.source and j.status in ('done', 'error') order by j.finished_at desc limit ${MAX_RUNS})
    union all
    (select ${classOfCrawl(db)} as class, w.finished_at from work w
      where ${isEndedCrawlOfSource(db)} order by w.source desc, w.id desc limit ${MAX_RUNS})
  ) run order by finished_at desc limit ${MAX_RUNS}
)`

/** SQL: how many last runs source `s` has, at most `MAX_RUNS`, and how many of them `failed`. */
export const countRecentRuns = (db: Db) => db`(
  select count(*) as runs, count(class) as failed from ${lastRuns(db)} last_runs
)`

/**
 * SQL: how many last runs source `s` has, and how many of them failed by the fault of the source (`failing`). `is_believed`: the portal still shows
 * parcels. If it shows nearly none, unknown parcels are the source's fault, too.
 */
export const recentRuns = (db: Db) => db`(
  select runs, faults + case when is_believed then 0 else unknown end as failing, is_believed
  from (
    select count(*) as runs, count(class) filter (where class = any(${UNKNOWN_PARCEL})) as unknown,
      count(class) filter (where class <> all(${[...UNKNOWN_PARCEL, ...ENDED_BY_US]})) as faults,
      count(*) filter (where is_of_portal) < ${MIN_RUNS_FOR_SHARE}
        or count(*) filter (where class is null) * ${FEWEST_SHOWN} >= count(*) filter (where is_of_portal) as is_believed
    from (
      select class, class is null or class <> all(${classesOfCause('service')}) as is_of_portal from ${lastRuns(db)} run
    ) last_runs
  ) counted
)`

/** Whether the portal of a source is believed when it says that it does not know a parcel. */
export const isBelieved = async (db: Db, source: string): Promise<boolean> => {
  const [row] = await db<{ isBelieved: boolean }[]>`
    select r.is_believed as "isBelieved" from sources s cross join lateral ${recentRuns(db)} r where s.source = ${source}`
  return row?.isBelieved ?? false
}

/**
 * The last runs of a source and how many failed, by class, as JSON text. Also the failures after the last good run. Null for an unknown
 * source. Jobs, except the ids of the last ones, are read from one index (`scrape_jobs_runs`).
 */
export const findRuns = async (db: Db, source: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    with crawled as materialized (
      select * from (${endedCrawls(db)}) ended where source = ${source}
    ), tallied as (
      select greatest((select max(last_success_at) from source_tallies where source = ${source}),
        (select max(finished_at) from crawled where class is null)) as last_success_at
    ), recent as materialized (
      select * from (
        (select j.id as job_id, null::uuid as crawl_id, j.source_parcel_id, ${classOfJob(db)} as class, j.finished_at
          from scrape_jobs j where j.source = ${source} and j.status in ('done', 'error')
          order by j.finished_at desc limit ${MAX_RUNS})
        union all select null, id, null, class, finished_at from crawled
      ) run order by finished_at desc limit ${MAX_RUNS}
    ), since as (
      select class, count(*) as n from (
        (select ${classOfJob(db)} as class, j.finished_at from scrape_jobs j
          where j.source = ${source} and j.status in ('done', 'error')
            and j.finished_at > coalesce((select last_success_at from tallied), '-infinity')
          order by j.finished_at desc limit ${MAX_RUNS_COUNTED})
        union all
        select class, finished_at from crawled where finished_at > coalesce((select last_success_at from tallied), '-infinity')
      ) run group by class
    )
    select row_to_json(row)::text as body from (
      select s.source, iso_utc(t.last_success_at) as last_success_at, p.problem, p.failure_class, iso_utc(p.since) as since,
        (select count(*) from recent) as runs_counted,
        (select coalesce(json_agg(json_build_object('failure_class', class, 'count', n) order by n desc, class), '[]')
          from (select class, count(*) as n from recent where class is not null group by class) counted) as failures,
        (select coalesce(sum(n), 0) from since where class is not null) as failed_since_success,
        (select coalesce(json_agg(json_build_object('failure_class', class, 'count', n) order by n desc, class), '[]')
          from since where class is not null) as failures_since_success,
        (select coalesce(json_agg(json_build_object('job_id', job_id, 'crawl_id', crawl_id, 'source_parcel_id', source_parcel_id,
          'failure_class', class, 'finished_at', iso_utc(finished_at)) order by finished_at desc, coalesce(job_id, crawl_id) desc), '[]')
          from recent) as runs
      from sources s cross join tallied t left join source_problems p using (source) where s.source = ${source}
    ) row`
  return row?.body ?? null
}

/** Fewer consecutive failures may be chance. */
const MIN_FAILURES = 3
/** If a portal finds none of this many parcels in a row, its search has changed. */
const MIN_UNKNOWN_PARCELS = 10

/**
 * Judges sources by their last runs after the last good one, records which have a problem, and writes an event of the kind `source`
 * when a problem begins, changes or ends. One failed crawl is enough for a problem: it reads a whole layer, and retries for hours if
 * that can help. One statement. It reads jobs only of sources whose last run failed, from one index. Call it from one process at a
 * time.
 */
export const noteSourceProblems = async (db: Db): Promise<void> => {
  await db`
    with crawled as materialized (${endedCrawls(db)}), tallied as (
      select source, max(last_success_at) as last_success_at, max(last_error_at) as last_error_at
      from (
        select source, last_success_at, last_error_at from source_tallies
        union all
        select source, max(finished_at) filter (where class is null), max(finished_at) filter (where class is not null)
        from crawled group by source
      ) ended group by source
    ), failing as (
      select t.source, coalesce(t.last_success_at, '-infinity') as last_success_at
      from tallied t join sources using (source) where t.last_error_at > coalesce(t.last_success_at, '-infinity')
    ), streaks as (
      select f.source, count(*) filter (where is_site) as site, count(*) filter (where is_fetch) as fetches,
        count(*) filter (where is_parcel) as parcel, min(finished_at) as since,
        bool_or(is_crawl and not is_parcel) as has_failed_crawl, bool_or(is_crawl and is_parcel) as has_empty_crawl,
        mode() within group (order by class) filter (where is_site) as site_class,
        mode() within group (order by class) filter (where is_fetch) as fetch_class,
        mode() within group (order by class) filter (where is_parcel) as parcel_class
      from failing f cross join lateral (
        select is_crawl, finished_at, class, class = any(${CHANGED_SITE}) as is_site,
          class = any(${classesOfCause('fetch_failed')}) as is_fetch, class = any(${UNKNOWN_PARCEL}) as is_parcel
        from (
          (select false as is_crawl, ${classOfJob(db)} as class, j.finished_at from scrape_jobs j
            where j.source = f.source and j.status in ('done', 'error') and j.finished_at > f.last_success_at
            order by j.finished_at desc limit ${MAX_RUNS})
          union all
          select true, class, finished_at from crawled c where c.source = f.source and c.finished_at > f.last_success_at
        ) last_runs
      ) run
      where is_site or is_fetch or is_parcel group by f.source
    ), judged as (
      select source, since, problem::source_problem, case when problem = 'fetch_failed' then fetch_class
          when site > 0 then site_class else parcel_class end as failure_class, site + fetches + parcel as failures
      from (
        select *, case when site + fetches >= ${MIN_FAILURES} or has_failed_crawl
            then case when site >= fetches then 'site_changed' else 'fetch_failed' end
          when site + parcel >= ${MIN_UNKNOWN_PARCELS} or has_empty_crawl then 'site_changed' end as problem
        from streaks
      ) counted
      where problem is not null
    ), ended as (
      delete from source_problems p where not exists (select from judged j where j.source = p.source) returning source
    ), stored as (
      insert into source_problems as p (source, problem, failure_class, failures, since)
      select source, problem, failure_class, failures, since from judged order by source
      on conflict (source) do update set problem = excluded.problem, failure_class = excluded.failure_class,
        failures = excluded.failures, since = least(p.since, excluded.since)
      where (p.problem, p.failure_class, p.failures) is distinct from (excluded.problem, excluded.failure_class, excluded.failures)
      returning source, new.problem, new.failure_class, new.failures, old.problem as former
    )
    insert into events (kind, payload)
    select 'source'::event_kind, jsonb_build_object('source', source, 'change', 'problem', 'problem', problem, 'failure_class', failure_class,
      'failures', failures, 'last_success_at', iso_utc(nullif(f.last_success_at, '-infinity')))
    from stored join failing f using (source) where former is distinct from problem
    union all
    select 'source', jsonb_build_object('source', source, 'change', 'problem', 'problem', null, 'failure_class', null,
      'failures', 0, 'last_success_at', iso_utc(t.last_success_at))
    from ended left join tallied t using (source)`
}

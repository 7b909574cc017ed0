import type { Db } from '../../../core/postgres/database'
import { CRAWL, classOfCrawl } from '../crawls/crawl-work'
import { WORK_KINDS } from '../work/work-kinds'
import { countRecentRuns } from './source-runs'

const INGEST = WORK_KINDS.ingest.name

/**
 * The health of sources by slug, without retired ones, as JSON texts; all sources when `limit` is null. The figures are from tallies.
 * Only two figures are counted here, each from its index: errors that became older than a day after the last `advanceErrorTallies`, and
 * the last runs of each source. A crawl counts as one job, and so does the load of a file. There are few.
 */
export const listSourceHealth = (
  db: Db,
  page: { after: string | null; limit: number | null },
): Promise<{ source: string; body: string }[]> => db<{ source: string; body: string }[]>`
  with tallies as materialized (
    -- A sum of int is computed as bigint, a sum of bigint as the much slower numeric.
    select source, sum(parcels::int) as parcels, sum(queued::int) as queued, sum(running::int) as running,
      sum(errors::int) as errors, max(last_success_at) as last_success_at, max(last_error_at) as last_error_at
    from source_tallies group by source
  ), outdated as materialized (
    select source, count(*) as n from scrape_jobs
    where status = 'error' and finished_at > (select since from source_errors_since)
      and finished_at <= now() - interval '24 hours'
    group by source
  ), crawled as materialized (
    select source, count(*) filter (where status = 'queued') as queued, count(*) filter (where status = 'running') as running,
      count(*) filter (where status = 'error' and finished_at > now() - interval '24 hours') as errors,
      max(finished_at) filter (where status = 'done' and (kind = ${INGEST} or ${classOfCrawl(db)} is null)) as last_success_at,
      max(finished_at) filter (where status = 'error' or status = 'done' and kind = ${CRAWL} and ${classOfCrawl(db)} is not null) as last_error_at
    from work w where kind in (${CRAWL}, ${INGEST}) group by source
  )
  select source, row_to_json(row)::text as body from (
    select s.source, s.state, s.county_name, s.vendor, s.active, coalesce(t.parcels, 0) as parcel_count,
      coalesce(t.queued, 0) + coalesce(c.queued, 0) as queued, coalesce(t.running, 0) + coalesce(c.running, 0) as running,
      coalesce(t.errors, 0) - coalesce(o.n, 0) + coalesce(c.errors, 0) as errors_24h,
      r.runs as recent_runs, r.failed as recent_failed,
      iso_utc(greatest(t.last_success_at, c.last_success_at)) as last_success_at,
      iso_utc(greatest(t.last_error_at, c.last_error_at)) as last_error_at, p.cadence,
      iso_utc(p.next_due_at) as next_due_at, problem.problem, problem.failure_class, iso_utc(problem.since) as since
    from sources s join source_refresh_policies p using (source) left join source_problems problem using (source)
    left join tallies t using (source) left join outdated o using (source) left join crawled c using (source)
    cross join lateral ${countRecentRuns(db)} r
    where s.retired_at is null ${page.after === null ? db`` : db`and s.source > ${page.after}`}
    order by s.source limit ${page.limit}
  ) row`

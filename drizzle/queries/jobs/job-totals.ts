import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

/** Maximum number of jobs whose durations are averaged. */
const MAX_AVERAGED = 200

/** Which jobs: those of a source, of a vendor's sources, or all of them. */
export interface JobScope {
  source?: string | undefined
  vendor?: string | undefined
}

/** SQL condition for the sources `s` of a scope. */
export const sourcesOf = (db: Db, { source, vendor }: JobScope) =>
  source !== undefined ? db`s.source = ${source}` : vendor !== undefined ? db`s.vendor = ${vendor}` : db`true`

export interface JobTotals {
  queued: number
  running: number
  /** Ended since the given time. */
  done: number
  failed: number
}

/** Queued and running jobs are read from tallies; ended ones are counted. */
export const findJobTotals = async (db: Db, scope: JobScope, since: string): Promise<JobTotals> => {
  const rows = await db<JobTotals[]>`
    with chosen as materialized (select source from sources s where ${sourcesOf(db, scope)})
    select
      (select coalesce(sum(queued), 0)::float8 from source_tallies join chosen using (source)) as queued,
      (select coalesce(sum(running), 0)::float8 from source_tallies join chosen using (source)) as running,
      count(*) filter (where ended.status = 'done')::float8 as done,
      count(*) filter (where ended.status = 'error')::float8 as failed
    from chosen join scrape_jobs ended using (source)
    where ended.status in ('done', 'error') and ended.finished_at > ${since}`
  return onlyRow(rows)
}

/** How fast a vendor works off its queue. */
export interface VendorPace {
  vendor: string
  /** Queued and running jobs. */
  open: number
  /** Maximum jobs at the same time; 0 while the vendor is paused. */
  target: number
  /** Average duration of its last good scrapes; null: it had none in the last 30 days. */
  averageMs: number | null
}

/** The vendors of a scope's sources. */
export const listVendorPaces = (db: Db, scope: JobScope): Promise<VendorPace[]> => db<VendorPace[]>`
  select v.vendor, coalesce(t.open, 0)::float8 as open,
    case when is_paused(c.paused_at, c.paused_until) then 0 else coalesce(c.target_concurrency, 1) end as target,
    d.average::float8 as "averageMs"
  from (select distinct vendor from sources s where ${sourcesOf(db, scope)}) v left join vendor_concurrency c using (vendor)
  left join lateral (
    select sum(queued + running) as open from source_tallies join sources s using (source) where s.vendor = v.vendor
  ) t on true
  left join lateral (
    select avg(duration_ms) as average from (
      select duration_ms from scrape_jobs j
      where j.vendor = v.vendor and j.status = 'done' and j.finished_at is not null
      order by finished_at desc limit ${MAX_AVERAGED}
    ) last
  ) d on true`

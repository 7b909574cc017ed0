import type { Db } from '../../../../core/postgres/database'
import { onlyRow } from '../../../../core/postgres/only-row'

/** Metrics of one vendor's queue. */
export interface VendorFigures {
  vendor: string
  queued: number
  running: number
  /** Null: the vendor has no settings. */
  target: number | null
  isBreakerOpen: boolean
  isPaused: boolean
}

/** Queues by vendor, from the tallies that triggers maintain. No jobs are counted. */
export const vendorFigures = (db: Db) => db`
  with tallies as (
    select s.vendor, sum(t.queued::int) as queued, sum(t.running::int) as running
    from source_tallies t join sources s using (source) group by s.vendor
  )
  select vendor, coalesce(queued, 0)::float8 as queued, coalesce(running, 0)::float8 as running,
    c.target_concurrency as target, c.breaker_opened_at is not null as "isBreakerOpen",
    is_paused(c.paused_at, c.paused_until) as "isPaused"
  from vendor_concurrency c full join tallies using (vendor)
  order by vendor`

export const listVendorFigures = (db: Db): Promise<VendorFigures[]> => db<VendorFigures[]>`${vendorFigures(db)}`

/** The age of the oldest queued and the oldest running job in seconds; 0 when there is none. */
export interface OldestJobs {
  /** Since it was first queued. */
  queued: number
  /** Since its current attempt began. */
  running: number
}

export const findOldestJobs = async (db: Db): Promise<OldestJobs> => {
  const rows = await db<OldestJobs[]>`
    select
      coalesce(extract(epoch from clock_timestamp() - (
        select created_at from scrape_jobs where status = 'queued' order by id limit 1
      )), 0)::float8 as queued,
      coalesce(extract(epoch from clock_timestamp() - (
        select min(started_at) from scrape_jobs where status = 'running'
      )), 0)::float8 as running`
  return onlyRow(rows)
}

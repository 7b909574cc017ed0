import type { Db } from '../../../../core/postgres/database'

/** What is watched of one vendor's queue. */
export interface VendorFigures {
  vendor: string
  queued: number
  running: number
  /** Null: nobody has settled one. */
  target: number | null
  isBreakerOpen: boolean
}

/** Queues by vendor, from the tallies that triggers keep: nothing is counted, however many jobs there are. */
export const vendorFigures = (db: Db) => db`
  with tallies as (
    select s.vendor, sum(t.queued::int) as queued, sum(t.running::int) as running
    from source_tallies t join sources s using (source) group by s.vendor
  )
  select vendor, coalesce(queued, 0)::float8 as queued, coalesce(running, 0)::float8 as running,
    c.target_concurrency as target, c.breaker_opened_at is not null as "isBreakerOpen"
  from vendor_concurrency c full join tallies using (vendor)
  order by vendor`

export const listVendorFigures = (db: Db): Promise<VendorFigures[]> => db<VendorFigures[]>`${vendorFigures(db)}`

/** How long the oldest job of a state has been in it, in seconds; 0 when there is none. */
export interface OldestJobs {
  /** Since it was queued first. */
  queued: number
  /** Since its try began. */
  running: number
}

export const findOldestJobs = async (db: Db): Promise<OldestJobs> => {
  const [row] = await db<OldestJobs[]>`
    select
      coalesce(extract(epoch from clock_timestamp() - (
        select created_at from scrape_jobs where status = 'queued' order by id limit 1
      )), 0)::float8 as queued,
      coalesce(extract(epoch from clock_timestamp() - (
        select min(started_at) from scrape_jobs where status = 'running'
      )), 0)::float8 as running`
  return row ?? { queued: 0, running: 0 }
}

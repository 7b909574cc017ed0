import type { Db } from '../database'

/** One vendor's queue at this moment. */
export interface VendorQueue {
  vendor: string
  queued: number
  running: number
  target: number
  /** Of the last minute. */
  donePerMinute: number
  errorsPerMinute: number
}

/** Vendors that have jobs, or had some within the last minute, by name. */
export const listVendorQueues = (db: Db): Promise<VendorQueue[]> => db<VendorQueue[]>`
  with live as (
    select vendor, count(*) filter (where status = 'queued')::int as queued,
      count(*) filter (where status = 'running')::int as running
    from scrape_jobs where status in ('queued', 'running') group by vendor
  ), ended as (
    select vendor, count(*) filter (where outcome = 'done')::int as done, count(*) filter (where outcome <> 'done')::int as failed
    from scrape_attempts where ended_at > now() - interval '1 minute' group by vendor
  )
  select vendor, coalesce(live.queued, 0) as queued, coalesce(live.running, 0) as running,
    coalesce(v.target_concurrency, 0) as target, coalesce(ended.done, 0) as "donePerMinute",
    coalesce(ended.failed, 0) as "errorsPerMinute"
  from live full join ended using (vendor) left join vendor_concurrency v using (vendor)
  order by vendor`

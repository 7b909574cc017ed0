import type { Db } from '../../../../core/postgres/database'
import { vendorFigures } from './queue-figures'

/** One vendor's queue. */
export interface VendorQueue {
  vendor: string
  queued: number
  running: number
  target: number
  /** In the last minute. */
  donePerMinute: number
  errorsPerMinute: number
}

/** Vendors that have jobs or had some within the last minute, by name. */
export const listVendorQueues = (db: Db): Promise<VendorQueue[]> => db<VendorQueue[]>`
  with figures as (${vendorFigures(db)}), ended as (
    select vendor, count(*) filter (where outcome = 'done')::int as done, count(*) filter (where outcome <> 'done')::int as failed
    from scrape_attempts where ended_at > now() - interval '1 minute' group by vendor
  )
  select vendor, coalesce(queued, 0) as queued, coalesce(running, 0) as running, coalesce(target, 0) as target,
    coalesce(done, 0) as "donePerMinute", coalesce(failed, 0) as "errorsPerMinute"
  from figures full join ended using (vendor)
  where queued > 0 or running > 0 or ended.vendor is not null
  order by vendor`

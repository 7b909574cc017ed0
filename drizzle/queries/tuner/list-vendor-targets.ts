import type { Db } from '../../../core/postgres/database'

export interface VendorTarget {
  vendor: string
  targetConcurrency: number
  /** Too many jobs failed. Each job has to call `takeProbe` before it starts. */
  isBreakerOpen: boolean
  isPaused: boolean
}

/** Every vendor that a job can have, and how many of its scrapes may run at the same time. The default is one. */
export const listVendorTargets = (db: Db): Promise<VendorTarget[]> => db<VendorTarget[]>`
  select vendor, coalesce(c.target_concurrency, 1) as "targetConcurrency",
    c.breaker_opened_at is not null as "isBreakerOpen", is_paused(c.paused_at, c.paused_until) as "isPaused"
  from (select vendor from vendor_concurrency union select vendor from sources) v left join vendor_concurrency c using (vendor)
  order by vendor`

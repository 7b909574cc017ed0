import type { Db } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { waitsForLoad } from '../loads/source-turns'
import { CRAWL } from './crawl-work'

/** Number of queued and running crawls of one vendor. */
export interface CrawlFigures {
  vendor: string
  queued: number
  running: number
}

export const listCrawlFigures = (db: Db, vendors: readonly string[]): Promise<CrawlFigures[]> => db<CrawlFigures[]>`
  select v.vendor, count(*) filter (where status = 'queued')::int as queued, count(*) filter (where status = 'running')::int as running
  from unnest(${[...vendors]}::text[]) v (vendor)
  left join work w on w.kind = ${CRAWL} and w.vendor = v.vendor and w.status in ('queued', 'running')
  group by v.vendor order by v.vendor`

/**
 * The longest time, in seconds, that a crawl has waited for a worker: since it was queued, its backoff ended, or its lease expired.
 * 0 if no crawl is waiting. One that waits for a load of its source does not count.
 */
export const findLongestCrawlWait = async (db: Db): Promise<number> => {
  const rows = await db<{ seconds: number }[]>`
    select coalesce(extract(epoch from clock_timestamp() - min(
      case status when 'queued' then greatest(created_at, not_before) else lease_expires_at end
    )), 0)::float8 as seconds
    from work w where kind = ${CRAWL} and not (${waitsForLoad(db)})
      and (status = 'queued' and not_before <= now() or status = 'running' and lease_expires_at < now())`
  return onlyRow(rows).seconds
}

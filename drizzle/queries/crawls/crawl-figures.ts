import type { Db } from '../../../core/postgres/database'

/** Crawls of one vendor that have not ended. */
export interface CrawlFigures {
  vendor: string
  queued: number
  running: number
}

export const listCrawlFigures = (db: Db, vendors: readonly string[]): Promise<CrawlFigures[]> => db<CrawlFigures[]>`
  select v.vendor, count(*) filter (where status = 'queued')::int as queued, count(*) filter (where status = 'running')::int as running
  from unnest(${[...vendors]}::text[]) v (vendor)
  left join crawls c on c.vendor = v.vendor and c.status in ('queued', 'running')
  group by v.vendor order by v.vendor`

/**
 * For how many seconds the crawl that waits longest could have been gone on with: since it was queued, its pause was over, or the
 * worker that had it was lost. 0 when none waits.
 */
export const findLongestCrawlWait = async (db: Db): Promise<number> => {
  const [row] = await db<{ seconds: number }[]>`
    select coalesce(extract(epoch from clock_timestamp() - min(
      case status when 'queued' then greatest(created_at, not_before) else lease_expires_at end
    )), 0)::float8 as seconds
    from crawls where status = 'queued' and not_before <= now() or status = 'running' and lease_expires_at < now()`
  return row?.seconds ?? 0
}

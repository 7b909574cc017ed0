import type { Db } from '../database'
import type { JobStatus } from '../schema/scrape-jobs'

/**
 * Queues a full scrape of a source by crawling; its id. The one that is queued or runs already counts. Null: there is no such
 * source.
 */
export const startCrawl = async (db: Db, source: string, requestedBy: string): Promise<string | null> => {
  const [row] = await db<{ id: string }[]>`
    with started as (
      insert into crawls (source, vendor, base_url, vendor_config, requested_by)
      select source, vendor, base_url, vendor_config, ${requestedBy} from sources where source = ${source}
      on conflict (source) where status in ('queued', 'running') do nothing
      returning id
    )
    select id from started
    union all select id from crawls where source = ${source} and status in ('queued', 'running') limit 1`
  return row?.id ?? null
}

/** How far a crawl is. */
export interface CrawlProgress {
  status: JobStatus
  pages: number
  inserted: number
  updated: number
  unchanged: number
  rejected: number
  /** What the layer says that it has; null when it does not say. */
  total: number | null
  /** Of the last try, or of the end. */
  errorCode: string | null
  errorMessage: string | null
  /** How long it still waits before its next try. */
  waitsMs: number
}

/** Null: there is no such crawl, or it was forgotten. */
export const findCrawl = async (db: Db, id: string): Promise<CrawlProgress | null> => {
  const [row] = await db<CrawlProgress[]>`
    select status, pages, inserted::float8, updated::float8, unchanged::float8, rejected::float8, total::float8,
      error_code as "errorCode", error_message as "errorMessage",
      greatest(0, extract(epoch from not_before - now()) * 1000)::float8 as "waitsMs"
    from crawls where id = ${id}`
  return row ?? null
}

/** Ends a source's crawl. False: none is queued or runs. */
export const cancelCrawl = async (db: Db, source: string, message: string): Promise<boolean> => {
  const { count } = await db`
    update crawls set status = 'error', error_code = 'cancelled', error_message = ${message}, lease_expires_at = null,
      finished_at = now()
    where source = ${source} and status in ('queued', 'running')`
  return count === 1
}

/** The first that a crawl could not take. */
export const listCrawlRejects = (db: Db, id: string, limit: number): Promise<{ what: string; reason: string }[]> =>
  db`select what, reason from crawl_rejects where crawl_id = ${id} limit ${limit}`

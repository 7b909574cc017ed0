import type { Db } from '../../../core/postgres/database'
import type { JobStatus } from '../../schema/scrape-jobs'

/** The row that callers see. `c` is the crawl. Its cursor means something to its adapter alone. */
const crawlFields = (db: Db) => db`
  c.id, c.source, c.vendor, c.status, c.requested_by, c.attempts, c.pages, c.inserted, c.updated, c.unchanged, c.rejected,
  c.total, c.error_code, c.error_message, iso_utc(c.created_at) as created_at, iso_utc(c.started_at) as started_at,
  iso_utc(c.finished_at) as finished_at,
  iso_utc(case when c.status = 'queued' and c.not_before > now() then c.not_before end) as waits_until`

export interface CrawlRow {
  id: string
  /** JSON text. */
  body: string
}

/** A source's crawls, newest first; those before the crawl `after`, if given. Ids grow with time. */
export const listCrawls = (
  db: Db,
  source: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<CrawlRow[]> => db<CrawlRow[]>`
  select id, row_to_json(row)::text as body from (
    select ${crawlFields(db)} from crawls c
    where c.source = ${source} ${after === null ? db`` : db`and c.id < ${after}`} order by c.id desc limit ${limit}
  ) row order by id desc`

/** A source's crawl as JSON text, with the first `rejects` that it could not take; null when there is none. */
export const findCrawl = async (
  db: Db,
  { source, id, rejects }: { source: string; id: string; rejects: number },
): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(row)::text as body from (
      select ${crawlFields(db)}, coalesce((
        select json_agg(json_build_object('what', what, 'reason', reason) order by r.id)
        from (select * from crawl_rejects where crawl_id = c.id order by id limit ${rejects}) r
      ), '[]') as rejects
      from crawls c where c.source = ${source} and c.id = ${id}
    ) row`
  return row?.body ?? null
}

/**
 * Queues a full scrape of a source by crawling; its id. The one that is queued or runs already counts, and is from then on
 * somebody's who asked. Null: there is no such source.
 */
export const startCrawl = async (db: Db, source: string, requestedBy: string): Promise<string | null> => {
  const [row] = await db<{ id: string }[]>`
    insert into crawls as live (source, vendor, base_url, vendor_config, requested_by)
    select source, vendor, base_url, vendor_config, ${requestedBy} from sources where source = ${source}
    on conflict (source) where status in ('queued', 'running') do update
      set requested_by = coalesce(live.requested_by, excluded.requested_by)
    returning id`
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
export const findCrawlProgress = async (db: Db, id: string): Promise<CrawlProgress | null> => {
  const [row] = await db<CrawlProgress[]>`
    select status, pages, inserted::float8, updated::float8, unchanged::float8, rejected::float8, total::float8,
      error_code as "errorCode", error_message as "errorMessage",
      greatest(0, extract(epoch from not_before - now()) * 1000)::float8 as "waitsMs"
    from crawls where id = ${id}`
  return row ?? null
}

/** Ends a source's crawl, or only that of an `id`. Its row as JSON text; null when none such is queued or runs. */
export const cancelCrawl = async (
  db: Db,
  { source, id = null }: { source: string; id?: string | null },
  message: string,
): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    with cancelled as (
      update crawls set status = 'error', error_code = 'cancelled', error_message = ${message}, lease_expires_at = null,
        finished_at = greatest(clock_timestamp(), started_at)
      where source = ${source} and status in ('queued', 'running') ${id === null ? db`` : db`and id = ${id}`}
      returning *
    )
    select row_to_json(row)::text as body from (select ${crawlFields(db)} from cancelled c) row`
  return row?.body ?? null
}

/** The first that a crawl could not take. */
export const listCrawlRejects = (db: Db, id: string, limit: number): Promise<{ what: string; reason: string }[]> =>
  db`select what, reason from crawl_rejects where crawl_id = ${id} order by id limit ${limit}`

import type { Db } from '../../../core/postgres/database'
import type { JobStatus } from '../../schema/values'
import { cancelledWorkFields } from '../work/cancel-work'
import { orderWork } from '../work/order-work'
import { whyWaiting } from '../work/why-waiting'
import { WORK_KINDS } from '../work/work-kinds'
import { CRAWL, type CrawlPayload, crawlCounts, crawlPayload, NO_COUNTS } from './crawl-work'

/** The fields that callers see. `w` is the crawl, `c` its counts. Callers do not see the cursor: only the adapter can read it. */
const crawlFields = (db: Db) => db`
  w.id, w.source, w.vendor, w.status, w.requested_by, w.attempts, c.pages, c.inserted, c.updated, c.unchanged, c.rejected,
  w.total, w.error_code, w.error_message, iso_utc(w.created_at) as created_at, iso_utc(w.started_at) as started_at,
  iso_utc(w.finished_at) as finished_at,
  ${whyWaiting(db)}`

export interface CrawlRow {
  id: string
  /** JSON text. */
  body: string
}

/** A source's crawls, newest first. `after` is the last id of the previous page; ids increase with time. */
export const listCrawls = (
  db: Db,
  source: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<CrawlRow[]> => db<CrawlRow[]>`
  select id, row_to_json(row)::text as body from (
    select ${crawlFields(db)} from work w cross join lateral ${crawlCounts(db)}
    where w.kind = ${CRAWL} and w.source = ${source} ${after === null ? db`` : db`and w.id < ${after}`}
    order by w.id desc limit ${limit}
  ) row order by id desc`

/** A source's crawl as JSON text, with its first `rejects` rejected records. Null if there is no such crawl. */
export const findCrawl = async (
  db: Db,
  { source, id, rejects }: { source: string; id: string; rejects: number },
): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(row)::text as body from (
      select ${crawlFields(db)}, coalesce((
        select json_agg(json_build_object('what', what, 'reason', reason) order by r.id)
        from (select * from work_rejects where work_id = w.id order by id limit ${rejects}) r
      ), '[]') as rejects
      from work w cross join lateral ${crawlCounts(db)} where w.kind = ${CRAWL} and w.source = ${source} and w.id = ${id}
    ) row`
  return row?.body ?? null
}

/**
 * Queues a crawl of a source and returns its id. If a crawl is already queued or running, returns that one; if it had no requester, it
 * gets this one. Returns null if there is no such source.
 */
export const startCrawl = async (db: Db, source: string, requestedBy: string): Promise<string | null> => {
  const [row] = await db<{ vendor: string; payload: CrawlPayload }[]>`
    select s.vendor, ${crawlPayload(db)} as payload from sources s where s.source = ${source}`
  if (row === undefined) return null
  const { id } = await orderWork(db, {
    kind: WORK_KINDS.crawl,
    subject: source,
    source,
    requestedBy,
    vendor: row.vendor,
    payload: row.payload,
    result: NO_COUNTS,
  })
  return id
}

/** How many records a crawl has read and rejected, and how many the layer reports; null if it reports none. */
export const findCrawlCounts = async (
  db: Db,
  id: string,
): Promise<{ read: number; rejected: number; total: number | null }> => {
  const [row] = await db<{ read: number; rejected: number; total: number | null }[]>`
    select w.done::float8 as read, c.rejected::float8, w.total::float8 from work w cross join lateral ${crawlCounts(db)}
    where w.id = ${id}`
  return row ?? { read: 0, rejected: 0, total: null }
}

/** The progress of a crawl. */
export interface CrawlProgress {
  status: JobStatus
  pages: number
  inserted: number
  updated: number
  unchanged: number
  rejected: number
  /** The number of records that the layer reports; null if it reports none. */
  total: number | null
  /** Why the last attempt failed, or why the crawl ended as an error. */
  errorCode: string | null
  errorMessage: string | null
  /** How long until the next attempt may start. */
  waitsMs: number
}

/** Null: there is no such crawl, or it was deleted. */
export const findCrawlProgress = async (db: Db, id: string): Promise<CrawlProgress | null> => {
  const [row] = await db<CrawlProgress[]>`
    select w.status, c.pages, c.inserted::float8, c.updated::float8, c.unchanged::float8, c.rejected::float8, w.total::float8,
      w.error_code as "errorCode", w.error_message as "errorMessage",
      greatest(0, extract(epoch from w.not_before - now()) * 1000)::float8 as "waitsMs"
    from work w cross join lateral ${crawlCounts(db)} where w.kind = ${CRAWL} and w.id = ${id}`
  return row ?? null
}

/** Cancels a source's crawl, or the one with `id`. Returns it as JSON text, or null if no such crawl is queued or running. */
export const cancelCrawl = async (
  db: Db,
  { source, id = null }: { source: string; id?: string | null },
  message: string,
): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    with cancelled as (
      update work set ${cancelledWorkFields(db, message)}
      where kind = ${CRAWL} and source = ${source} and status in ('queued', 'running') ${id === null ? db`` : db`and id = ${id}`}
      returning *
    )
    select row_to_json(row)::text as body
    from (select ${crawlFields(db)} from cancelled w cross join lateral ${crawlCounts(db)}) row`
  return row?.body ?? null
}

/** The first records that a crawl rejected. */
export const listCrawlRejects = (db: Db, id: string, limit: number): Promise<{ what: string; reason: string }[]> =>
  db`select what, reason from work_rejects where work_id = ${id} order by id limit ${limit}`

import type { Static } from '@sinclair/typebox'
import type { Db, Fragment } from '../../../core/postgres/database'
import { WORK_KINDS } from '../work/work-kinds'

/** The kind of work that scrapes a whole source page by page. Only some vendors support it. The subject is the source. */
export const CRAWL = WORK_KINDS.crawl.name

/** The payload of a crawl: the source's configuration when the crawl was requested. A cursor is valid only for the same layer. */
export type CrawlPayload = Static<typeof WORK_KINDS.crawl.payload>

/** SQL for the payload of a crawl of the source `s`. */
export const crawlPayload = (db: Db) => db`jsonb_build_object('base_url', s.base_url, 'vendor_config', s.vendor_config)`

/** The result of a crawl before its first page. */
export const NO_COUNTS = { pages: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0 }

/** The columns of `work` that `crawlOf` fills. */
export const crawlColumns = (db: Db) => db`kind, subject, source, vendor, payload, result, requested_by`

/** SQL for the values of a new crawl of the source `s`. */
export const crawlOf = (db: Db, requestedBy: Fragment) => db`
  ${CRAWL}, s.source, s.source, s.vendor, ${crawlPayload(db)},
  ${JSON.stringify(NO_COUNTS)}::text::jsonb, ${requestedBy}`

/** SQL condition: the source `s` still has the configuration that the crawl `w` was requested with. */
export const isOfSourceAsItIs = (db: Db) =>
  db`(w.vendor, w.payload) is not distinct from (s.vendor, ${crawlPayload(db)})`

/**
 * SQL for the class of failure (core/sources/failure-classes.ts) of the ended crawl `w`; null if it succeeded. A crawl that found no
 * records, or whose records were all rejected, did not succeed, although it read the whole layer.
 */
export const classOfCrawl = (db: Db) => db`
  case when w.status = 'error' then coalesce(w.failure_class, w.error_code) when w.done = 0 then 'not_found'
    when (w.result ->> 'rejected')::bigint >= w.done then 'page_changed' end`

/**
 * SQL condition of an ended crawl `w` of the source `s`. Order by `source desc, id desc`: the crawls of a source run one after another. The range has only
 * one source. With `=`, PostgreSQL would expect each source to have crawls, and would read all work for each source without any.
 */
export const isEndedCrawlOfSource = (db: Db) =>
  db`w.source >= s.source and w.source <= s.source and w.kind = ${CRAWL} and w.status in ('done', 'error')`

/** SQL join that adds the counts of the crawl `w` as `c`. */
export const crawlCounts = (db: Db) => db`
  jsonb_to_record(w.result) c (pages int, inserted bigint, updated bigint, unchanged bigint, rejected bigint)`

import type { Db } from '../../../core/postgres/database'

/** Full scrapes of sources whose vendor gives whole layers, page by page. The subject of a crawl is its source. */
export const CRAWL = 'crawl'

/** What a crawl's work holds as its payload: the source as it was when the crawl was ordered. A cursor means nothing on another layer. */
export interface CrawlPayload {
  base_url: string
  vendor_config: Record<string, unknown>
}

/** The payload of a crawl of the source `s`. */
export const crawlPayload = (db: Db) => db`jsonb_build_object('base_url', s.base_url, 'vendor_config', s.vendor_config)`

/** The result of a crawl before its first page. */
export const NO_COUNTS = { pages: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0 }

/** The columns of `work` that `crawlOf` fills. */
export const crawlColumns = (db: Db) => db`kind, subject, source, vendor, payload, result, requested_by`

/** The values of a crawl of the source `s`. */
export const crawlOf = (db: Db, requestedBy: ReturnType<Db>) => db`
  ${CRAWL}, s.source, s.source, s.vendor, ${crawlPayload(db)},
  ${JSON.stringify(NO_COUNTS)}::text::jsonb, ${requestedBy}`

/** Whether the crawl `w` is of the source `s` as it is now. */
export const isOfSourceAsItIs = (db: Db) =>
  db`(w.vendor, w.payload) is not distinct from (s.vendor, ${crawlPayload(db)})`

/** The counts of the crawl `w`, as `c`. */
export const crawlCounts = (db: Db) => db`
  jsonb_to_record(w.result) c (pages int, inserted bigint, updated bigint, unchanged bigint, rejected bigint)`

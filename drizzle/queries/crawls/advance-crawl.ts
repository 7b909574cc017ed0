import type { Db, Transaction } from '../../../core/postgres/database'
import type { UpsertCounts } from '../../records'
import { crawlCounts } from './crawl-work'

/** The maximum number of rejects stored per crawl. All rejects are counted. */
const MAX_REJECTS = 1_000

/** The cursor of a crawl whose pages are all staged. They still have to be compared and applied. */
export const STAGED = 'staged'

export interface StoredPage {
  counts: UpsertCounts
  rejected: readonly { what: string; reason: string }[]
  /** Number of features or rows on the page. */
  records: number
  total: number | null
  /** `STAGED` after the last page of a staged crawl. Null after the last page of another one. */
  cursor: string | null
}

/**
 * Records a page that is stored or staged. If the cursor is null, the crawl is done and its source counts as refreshed completely, unless
 * the layer sent fewer records than it counts. An empty layer does not count: it usually means that the portal has a problem. The caller
 * must hold the lock (`lockWork`).
 */
export const advanceCrawl = async (
  tx: Transaction,
  id: string,
  { counts: { inserted, updated, unchanged }, rejected, records, total, cursor }: StoredPage,
): Promise<void> => {
  if (rejected.length > 0) {
    await tx`
      insert into work_rejects (work_id, what, reason)
      select ${id}, r.* from json_to_recordset(${JSON.stringify(rejected.slice(0, MAX_REJECTS))}::text::json) as r (what text, reason text)
      limit ${MAX_REJECTS} - (select least((result ->> 'rejected')::bigint, ${MAX_REJECTS}) from work where id = ${id})`
  }
  await tx`
    with advanced as (
      update work set cursor = ${cursor}, failures = 0, done = w.done + ${records}, total = ${total},
        result = jsonb_build_object('pages', c.pages + 1, 'inserted', c.inserted + ${inserted}, 'updated', c.updated + ${updated},
          'unchanged', c.unchanged + ${unchanged}, 'rejected', c.rejected + ${rejected.length}),
        error_code = null, failure_class = null, error_message = null,
        status = (case when ${cursor}::text is null then 'done' else 'running' end)::job_status,
        finished_at = case when ${cursor}::text is null then greatest(clock_timestamp(), w.started_at) end,
        lease_expires_at = case when ${cursor}::text is null then null else w.lease_expires_at end
      from work w cross join lateral ${crawlCounts(tx)}
      where work.id = ${id} and w.id = work.id
      returning work.source, work.status, c.inserted + c.updated + c.unchanged + ${inserted + updated + unchanged} > 0 as has_parcels,
        ${isWholeLayer(tx)} as is_whole
    )
    update sources s set last_full_scrape_at = now() from advanced
    where s.source = advanced.source and advanced.status = 'done' and has_parcels and is_whole`
  if (records > 0) await closeBreaker(tx, id)
}

/**
 * If the breaker of the crawl's vendor is open, the tuner counts a page with records as a success, and closes it. Otherwise pages do not
 * count: their duration is not that of a scrape.
 */
const closeBreaker = async (tx: Transaction, id: string): Promise<void> => {
  await tx`
    insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms)
    select w.id, w.attempts, w.vendor, 'done', 0 from work w join vendor_concurrency c using (vendor)
    where w.id = ${id} and c.breaker_opened_at is not null`
}

/** SQL: a crawl read as many records as its layer counts. */
const isWholeLayer = (db: Db) => db`(work.total is null or work.done >= work.total)`

/** Stores the final counts of a crawl whose pages were staged. If it read the whole layer, its source counts as refreshed completely. */
export const endStagedCrawl = async (
  tx: Transaction,
  id: string,
  { inserted, updated, unchanged, rejected }: UpsertCounts & { rejected: number },
): Promise<void> => {
  await tx`
    with ended as (
      update work set result = result || jsonb_build_object('inserted', ${inserted}::int, 'updated', ${updated}::int,
        'unchanged', ${unchanged}::int, 'rejected', ${rejected}::int)
      where id = ${id} returning source, ${isWholeLayer(tx)} as is_whole
    )
    update sources s set last_full_scrape_at = now() from ended
    where s.source = ended.source and is_whole and ${inserted + updated + unchanged > 0}`
}

import type { Transaction } from '../../../core/postgres/database'
import type { UpsertCounts } from '../../records'

/** Rejects that are kept of a crawl. All are counted. */
const MOST_REJECTS = 1_000

/**
 * Where a crawl stands, locked until the transaction ends: what is written in it belongs to a crawl that nobody can cancel or
 * take over meanwhile. Null: this try is not the current one.
 */
export const lockCrawl = async (
  tx: Transaction,
  { id, attempt }: { id: string; attempt: number },
): Promise<{ isDone: boolean; cursor: string | null } | null> => {
  const [row] = await tx<{ isDone: boolean; cursor: string | null }[]>`
    select status = 'done' as "isDone", cursor from crawls
    where id = ${id} and attempts = ${attempt} and status in ('running', 'done') for update`
  return row ?? null
}

export interface StoredPage {
  counts: UpsertCounts
  rejected: readonly { what: string; reason: string }[]
  /** Features or rows on it. */
  records: number
  total: number | null
  /** Null: it was the last page. */
  cursor: string | null
}

/**
 * Notes that a page is stored. After the last one the crawl is done, and its source scraped in full: unless the layer was empty,
 * which says more of the portal than of the county. The caller holds the lock (`lockCrawl`).
 */
export const advanceCrawl = async (
  tx: Transaction,
  id: string,
  { counts: { inserted, updated, unchanged }, rejected, records, total, cursor }: StoredPage,
): Promise<void> => {
  if (rejected.length > 0) {
    await tx`
      insert into crawl_rejects (crawl_id, what, reason)
      select ${id}, r.* from json_to_recordset(${JSON.stringify(rejected.slice(0, MOST_REJECTS))}::text::json) as r (what text, reason text)
      limit ${MOST_REJECTS} - (select least(rejected, ${MOST_REJECTS}) from crawls where id = ${id})`
  }
  await tx`
    with advanced as (
      update crawls set cursor = ${cursor}, pages = pages + 1, failures = 0, records = records + ${records},
        total = ${total},
        inserted = inserted + ${inserted}, updated = updated + ${updated}, unchanged = unchanged + ${unchanged},
        rejected = rejected + ${rejected.length}, error_code = null, error_message = null,
        status = (case when ${cursor}::text is null then 'done' else 'running' end)::job_status,
        finished_at = case when ${cursor}::text is null then greatest(clock_timestamp(), started_at) end,
        lease_expires_at = case when ${cursor}::text is null then null else lease_expires_at end
      where id = ${id}
      returning source, status, inserted + updated + unchanged > 0 as has_parcels
    )
    update sources s set last_full_scrape_at = now() from advanced
    where s.source = advanced.source and advanced.status = 'done' and has_parcels`
}

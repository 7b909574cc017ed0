import type { Db } from '../../../core/postgres/database'

/**
 * Ends runs whose jobs have all ended, and runs of sources that were deactivated before all parcels were queued. Only a complete run
 * with at least one parcel counts as a complete refresh. Returns the sources that were refreshed completely.
 */
export const finishRuns = async (db: Db): Promise<string[]> => {
  const rows = await db<{ source: string }[]>`
    with ended as (
      update source_refresh_policies policy set run_started_at = null, run_cursor = null, run_ends_at = null
      from sources s
      where s.source = policy.source and policy.run_started_at is not null
        and case when policy.run_ends_at is null then not s.active else not exists (
          select from scrape_jobs j
          where j.source = policy.source and j.status in ('queued', 'running') and j.id < policy.run_ends_at
        ) end
      returning policy.source, old.run_ends_at is not null and old.run_cursor is not null as is_full
    )
    update sources set last_full_scrape_at = now() from ended where sources.source = ended.source and ended.is_full
    returning sources.source`
  return rows.map(({ source }) => source)
}

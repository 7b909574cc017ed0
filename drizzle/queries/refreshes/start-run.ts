import type { Db } from '../../../core/postgres/database'

/** Starts a source's run and sets the next due date, unless the due date was changed in the meantime. */
export const startRun = async (
  db: Db,
  source: string,
  { dueAt, nextDueAt }: { dueAt: Date; nextDueAt: Date },
): Promise<void> => {
  await db`
    update source_refresh_policies set run_started_at = now(), run_cursor = null, run_ends_at = null,
      next_due_at = ${nextDueAt}, updated_at = now()
    where source = ${source} and next_due_at = ${dueAt} and run_started_at is null`
}

/** Like `startRun`, but the run is a crawl of the source's layer. */
export const startCrawlRun = async (
  db: Db,
  source: string,
  { dueAt, nextDueAt }: { dueAt: Date; nextDueAt: Date },
): Promise<void> => {
  await db`
    with moved as (
      update source_refresh_policies set next_due_at = ${nextDueAt}, updated_at = now()
      where source = ${source} and next_due_at = ${dueAt} and run_started_at is null
      returning source
    )
    insert into crawls (source, vendor, base_url, vendor_config)
    select source, vendor, base_url, vendor_config from moved join sources using (source)
    on conflict (source) where status in ('queued', 'running') do nothing`
}

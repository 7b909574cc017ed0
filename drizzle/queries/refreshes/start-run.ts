import type { Db } from '../../../core/postgres/database'
import { crawlColumns, crawlOf } from '../crawls/crawl-work'

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
    insert into work (${crawlColumns(db)})
    select ${crawlOf(db, db`null`)} from moved join sources s using (source)
    on conflict (kind, subject) where status in ('queued', 'running') do nothing`
}

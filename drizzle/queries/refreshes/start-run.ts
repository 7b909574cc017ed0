import { CHANNELS } from '../../../core/channels'
import type { Db } from '../../../core/postgres/database'
import { crawlColumns, crawlOf } from '../crawls/crawl-work'
import { WORK_KINDS } from '../work/work-kinds'

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

/** Like `startRun`, but the run loads the source's file, if that has changed. */
export const startFileRun = async (
  db: Db,
  source: string,
  { dueAt, nextDueAt }: { dueAt: Date; nextDueAt: Date },
): Promise<void> => {
  await db`
    with moved as (
      update source_refresh_policies set next_due_at = ${nextDueAt}, updated_at = now()
      where source = ${source} and next_due_at = ${dueAt}
      returning source
    ), queued as (
      insert into work (kind, subject, source, payload)
      select ${WORK_KINDS.ingest.name}, s.source, s.source, jsonb_build_object('file_id', null, 'address', s.base_url, 'settings', s.vendor_config,
        'as_of', null, 'is_due', true)
      from moved join sources s using (source) where s.base_url <> ''
      on conflict (kind, subject) where status in ('queued', 'running') do nothing
      returning id
    )
    select pg_notify(${CHANNELS.workOrdered}, ${WORK_KINDS.ingest.name}) from queued`
}

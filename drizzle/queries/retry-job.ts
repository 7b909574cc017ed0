import type { Db } from '../database'

/**
 * Queues the parcel of an ended job again, with its overrides: the id of the job that waits then, which is another one. Null
 * when there is no such job, or it has not ended.
 */
export const retryJob = async (db: Db, id: string, requestedBy: string): Promise<string | null> => {
  const [row] = await db<{ id: string }[]>`
    with queued as (
      insert into scrape_jobs as j (source, source_parcel_id, vendor, overrides, requested_by)
      select old.source, old.source_parcel_id, s.vendor, old.overrides, ${requestedBy}
      from scrape_jobs old join sources s using (source) where old.id = ${id} and old.status in ('done', 'error')
      on conflict (source, source_parcel_id, status) where status in ('queued', 'running')
        do update set updated_at = now(), overrides = j.overrides || excluded.overrides
      returning id
    ), told as materialized (select pg_notify('scrape_jobs_queued', '') from queued)
    select id from queued cross join told`
  return row?.id ?? null
}

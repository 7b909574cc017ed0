import { CHANNELS } from '../../../../core/channels'
import { traceparentNow } from '../../../../core/observe/with-span'
import type { Db } from '../../../../core/postgres/database'
import { FILE_VENDOR } from '../../../../core/sources/file-vendor'
import { orderedAgainBy, orderedBy } from './ordered-by'
import { raisePriority } from './raise-priority'
import { joinedWatchers, type Requester, watchersOf } from './watchers'

/**
 * Queues the parcel of an ended job again, with high priority and the same overrides. Returns the id of the new job, or of the one
 * that was already queued. The watchers of the ended job also watch that one. Null when there is no such job, or it has not ended.
 */
export const retryJob = async (db: Db, id: string, requester: Requester): Promise<string | null> => {
  const [row] = await db<{ id: string }[]>`
    with queued as (
      insert into scrape_jobs as j (source, source_parcel_id, vendor, priority, overrides, requested_by, ordered_by, watchers, traceparent)
      select old.source, old.source_parcel_id, s.vendor, 'high', old.overrides, ${requester.name},
        ${orderedBy(db, requester)}, ${joinedWatchers(db, db`old.watchers`, watchersOf(db, requester))}, ${traceparentNow()}
      from scrape_jobs old join sources s using (source)
      where old.id = ${id} and old.status in ('done', 'error') and s.retired_at is null and s.vendor <> ${FILE_VENDOR}
      on conflict (source, source_parcel_id, status) where status in ('queued', 'running')
        do update set updated_at = now(), overrides = j.overrides || excluded.overrides, ${raisePriority(db)},
          ordered_by = ${orderedAgainBy(db)}, traceparent = coalesce(j.traceparent, excluded.traceparent),
          watchers = ${joinedWatchers(db, db`j.watchers`, db`excluded.watchers`)}
      returning id
    ), told as materialized (select pg_notify(${CHANNELS.jobsQueued}, '') from queued)
    select id from queued cross join told`
  return row?.id ?? null
}

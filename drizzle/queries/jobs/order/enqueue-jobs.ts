import { CHANNELS } from '../../../../core/channels'
import { traceparentNow } from '../../../../core/observe/with-span'
import type { Db } from '../../../../core/postgres/database'
import type { JobPriority } from '../../../schema/values'
import { orderedAgainBy, orderedBy } from './ordered-by'
import { raisePriority } from './raise-priority'
import { joinedWatchers, type Requester, watchersOf } from './watchers'

export interface JobOrder {
  source: string
  sourceParcelId: string
  /** Options of scrape-now for the worker. */
  overrides?: Record<string, unknown>
}

export interface QueuedJob {
  id: string
  source: string
  sourceParcelId: string
}

/**
 * Queues jobs for parcels in one statement. If a parcel already has a queued job, that job is kept: its `updated_at` changes, and its
 * priority is raised to `priority` if that is higher. If a source is unknown, nothing is queued and `unknownSource` names one.
 *
 * Rows are written in the order of their keys, so that callers who queue the same parcels at the same time cannot deadlock. `orders`
 * must not contain a parcel twice.
 */
export const enqueueJobs = async (
  db: Db,
  orders: readonly JobOrder[],
  requester: Requester | null,
  priority: JobPriority = 'normal',
): Promise<{ jobs: QueuedJob[]; unknownSource: string | null }> => {
  const rows = await db<(QueuedJob | { id: null; source: string })[]>`
    with wanted as (
      select source, "sourceParcelId" as source_parcel_id, coalesce(overrides, '{}') as overrides
      from jsonb_to_recordset(${JSON.stringify(orders)}::text::jsonb) as o (source text, "sourceParcelId" text, overrides jsonb)
    ), unknown as (
      select source from wanted except select source from sources order by source limit 1
    ), queued as (
      insert into scrape_jobs as j (source, source_parcel_id, vendor, priority, overrides, requested_by, ordered_by, watchers, traceparent)
      select w.source, w.source_parcel_id, s.vendor, ${priority}::job_priority, w.overrides, ${requester?.name ?? null},
        ${orderedBy(db, requester)}, ${watchersOf(db, requester)}, ${traceparentNow()}
      from wanted w join sources s using (source)
      where not exists (select from unknown)
      order by w.source, w.source_parcel_id
      on conflict (source, source_parcel_id, status) where status in ('queued', 'running')
        do update set updated_at = now(), overrides = j.overrides || excluded.overrides, ${raisePriority(db)},
          ordered_by = ${orderedAgainBy(db)}, traceparent = coalesce(j.traceparent, excluded.traceparent),
          watchers = ${joinedWatchers(db, db`j.watchers`, db`excluded.watchers`)}
      returning id, source, source_parcel_id
    ), told as materialized (select pg_notify(${CHANNELS.jobsQueued}, '') where exists (select from queued))
    select id, source, source_parcel_id as "sourceParcelId" from queued cross join told
    union all select null, source, null from unknown`
  const jobs = rows.filter((row): row is QueuedJob => row.id !== null)
  return { jobs, unknownSource: rows.find(({ id }) => id === null)?.source ?? null }
}

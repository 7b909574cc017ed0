import type { Db } from '../../../core/postgres/database'
import type { Cadence } from '../../schema/source-refresh-policies'

export interface DueSource {
  source: string
  cadence: Cadence
  vendor: string
  agriculturalOnly: boolean
  nextDueAt: Date
}

/**
 * Active sources whose time has come and that have no run or crawl under way, the longest due first. A source that is made inactive
 * during a run gets no more jobs until it is active again. Those it has are not held back: they are done, or cancelled one by
 * one. What a caller queues runs in either case.
 */
export const listDueSources = (db: Db, limit: number): Promise<DueSource[]> => db<DueSource[]>`
  select source, cadence, vendor, agricultural_only as "agriculturalOnly", next_due_at as "nextDueAt"
  from source_refresh_policies join sources s using (source)
  where next_due_at <= now() and run_started_at is null and s.active
    and not exists (select from crawls c where c.source = s.source and c.status in ('queued', 'running'))
  order by next_due_at limit ${limit}`

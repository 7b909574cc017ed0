import type { Db } from '../../../core/postgres/database'
import type { Cadence } from '../../schema/values'
import { CRAWL } from '../crawls/crawl-work'

export interface DueSource {
  source: string
  cadence: Cadence
  vendor: string
  agriculturalOnly: boolean
  nextDueAt: Date
}

/**
 * Active sources that are due and have no current run or crawl, longest due first. If a source is deactivated during a run, no more of
 * its parcels are queued until it is active again. Its queued jobs still run, unless they are cancelled. Jobs that callers queue always
 * run.
 */
export const listDueSources = (db: Db, limit: number): Promise<DueSource[]> => db<DueSource[]>`
  select source, cadence, vendor, agricultural_only as "agriculturalOnly", next_due_at as "nextDueAt"
  from source_refresh_policies join sources s using (source)
  where next_due_at <= now() and run_started_at is null and s.active
    and not exists (select from work w where w.kind = ${CRAWL} and w.source = s.source and w.status in ('queued', 'running'))
  order by next_due_at limit ${limit}`

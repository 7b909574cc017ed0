import type { AlertRuleName } from '../../../core/alerts/alert-rules'
import type { Db } from '../../../core/postgres/database'
import { MIN_RUNS } from '../../../core/sources/source-state'
import { CRAWL, classOfCrawl } from '../crawls/crawl-work'
import { dueAfter } from '../refreshes/cadence-interval'
import { listLateQueues, SYNC_DUTY } from '../search/search-outbox'
import { listWaitingVendors } from '../service/examine'
import { recentRuns } from '../sources/source-runs'
import { isSending } from '../watches/is-sending'
import { WORK_KINDS } from '../work/work-kinds'

/** The measured value of one subject of a rule. */
export interface Measurement {
  subject: string
  /** The subject in words. */
  about: string
  /** In the unit of the rule's threshold. For a rule without a threshold: 1 if it applies. */
  value: number
}

/** The name of a source in alerts. */
const nameOf = (db: Db) => db`s.county_name || ', ' || s.state`

/** Sources that are refreshed. */
const isWatched = (db: Db) => db`s.active and s.retired_at is null`

/** The share of the last scrapes of each source that failed, in percent. Cancelled scrapes and those of unknown parcels are no failures. */
const measureFailures = (db: Db, from: number): Promise<Measurement[]> => db<Measurement[]>`
  select s.source as subject, ${nameOf(db)} as about, (100.0 * r.failing / r.runs)::float8 as value
  from sources s cross join lateral ${recentRuns(db)} r
  where ${isWatched(db)} and r.runs >= ${MIN_RUNS} and 100.0 * r.failing >= ${from}::float8 * r.runs`

/** For how many minutes unreachable portals have failed. */
const measureUnreachable = (db: Db, from: number): Promise<Measurement[]> => db<Measurement[]>`
  select s.source as subject, ${nameOf(db)} as about, (extract(epoch from now() - p.since) / 60)::float8 as value
  from source_problems p join sources s using (source)
  where ${isWatched(db)} and p.problem = 'fetch_failed' and p.since <= now() - ${from} * interval '1 minute'`

const listChangedSites = (db: Db): Promise<Measurement[]> => db<Measurement[]>`
  select s.source as subject, ${nameOf(db)} as about, 1::float8 as value
  from source_problems p join sources s using (source) where ${isWatched(db)} and p.problem = 'site_changed'`

/**
 * For how many hours sources have not been scraped, beyond their refresh interval. A source that was never scraped counts from its last
 * change, because it may have been activated then. Files that are loaded by hand are not due.
 */
const measureOverdue = (db: Db, from: number): Promise<Measurement[]> => db<Measurement[]>`
  -- Materialized, because PostgreSQL read all work for each source while its statistics named few active sources.
  with loaded as materialized (
    select source, max(finished_at) as at from work w
    where status = 'done' and (kind = ${WORK_KINDS.ingest.name} or kind = ${CRAWL} and ${classOfCrawl(db)} is null) group by source
  )
  select s.source as subject, ${nameOf(db)} as about, (extract(epoch from now() - due.at) / 3600)::float8 as value
  from sources s join source_refresh_policies p using (source)
  left join (select source, max(last_success_at) as at from source_tallies group by source) scraped using (source)
  left join loaded using (source)
  cross join lateral (
    select ${dueAfter(db, db`coalesce(greatest(scraped.at, loaded.at), greatest(s.updated_at, p.updated_at))`)} as at
  ) due
  where ${isWatched(db)} and s.base_url <> '' and due.at <= now() - ${from} * interval '1 hour'`

/** For how many minutes no job of a vendor was taken, although some are due. */
const measureStuckQueues = async (db: Db, from: number): Promise<Measurement[]> =>
  (await listWaitingVendors(db, from)).map(({ vendor, waitedSeconds }) => ({
    subject: vendor,
    about: vendor,
    value: waitedSeconds / 60,
  }))

/**
 * For how many hours the oldest queued job of each vendor has waited. One row of an index is read for each source. The range has only one source. With `=`,
 * PostgreSQL would expect each source to have queued jobs, and would read those of all sources for each source without any.
 */
const measureOldJobs = (db: Db, from: number): Promise<Measurement[]> => db<Measurement[]>`
  select s.vendor as subject, s.vendor as about, (extract(epoch from now() - min(oldest.created_at)) / 3600)::float8 as value
  from sources s left join vendor_concurrency c using (vendor) cross join lateral (
    select created_at from scrape_jobs j
    where j.source >= s.source and j.source <= s.source and j.status = 'queued' order by j.source, j.id limit 1
  ) oldest
  where not is_paused(c.paused_at, c.paused_until) group by s.vendor
  having min(oldest.created_at) <= now() - ${from} * interval '1 hour'`

/**
 * For how many minutes the oldest change has waited for the index; with several instances of Meilisearch, for each. No measurement if
 * no process has ever kept an index.
 */
const measureSearchLag = async (db: Db, from: number): Promise<Measurement[]> => {
  const [index] = await db`select from leaders where starts_with(duty, ${SYNC_DUTY}) limit 1`
  if (index === undefined) return []
  const late = await listLateQueues(db)
  return late.filter(({ value }) => value >= from && value > 0).map((one) => ({ ...one, about: one.subject }))
}

/**
 * Layers whose last build failed. While the next one runs, an alert neither begins nor ends. A build without changes may leave no row: then
 * `current_at` of the published archive has its time.
 */
const listFailedTiles = (db: Db): Promise<Measurement[]> => db<Measurement[]>`
  select layer as subject, layer as about, (case when is_building then 0.9 else 1 end)::float8 as value from (
    select distinct on (layer) layer, status, exists (
      select from tile_builds running where running.layer = b.layer and running.status = 'building'
    ) as is_building
    from tile_builds b where status <> 'building' order by layer, coalesce(current_at, started_at) desc, id desc
  ) newest where status = 'failed'`

const listHeldLoads = (db: Db): Promise<Measurement[]> => db<Measurement[]>`
  select s.source as subject, ${nameOf(db)} as about, 1::float8 as value
  from loads l join sources s using (source) where l.status = 'held'`

/** For how many hours all requests of a watch have failed, by receiver. Watches that send none, such as those of a revoked key, do not count. */
const measureFailingWebhooks = (db: Db, from: number): Promise<Measurement[]> => db<Measurement[]>`
  select w.receiver as subject, w.receiver as about, (extract(epoch from now() - min(w.failing_since)) / 3600)::float8 as value
  from watches w where w.receiver is not null and ${isSending(db)} and w.failing_since is not null group by w.receiver
  having min(w.failing_since) <= now() - ${from} * interval '1 hour'`

const listGoneWebhooks = (db: Db): Promise<Measurement[]> => db<Measurement[]>`
  select distinct w.receiver as subject, w.receiver as about, 1::float8 as value
  from watches w where w.receiver is not null and w.gone_at is not null`

/** Measures a rule in the database: the subjects whose value is at least `from`. The scheduler measures the disk itself. */
export const MEASURES: Record<Exclude<AlertRuleName, 'disk_full'>, (db: Db, from: number) => Promise<Measurement[]>> = {
  source_failing: measureFailures,
  source_unreachable: measureUnreachable,
  site_changed: listChangedSites,
  source_overdue: measureOverdue,
  queue_stuck: measureStuckQueues,
  queue_old: measureOldJobs,
  search_lag: measureSearchLag,
  tiles_failed: listFailedTiles,
  load_held: listHeldLoads,
  webhook_failing: measureFailingWebhooks,
  webhook_gone: listGoneWebhooks,
}

import { CHANNELS } from '../../../core/channels'
import { traceparentNow } from '../../../core/observe/with-span'
import type { Db, Transaction } from '../../../core/postgres/database'

/** Sources with a run whose parcels are not all queued yet. Inactive sources are left out. */
export const listRunsToEnqueue = async (db: Db): Promise<string[]> => {
  const rows = await db<{ source: string }[]>`
    select source from source_refresh_policies join sources s using (source)
    where run_started_at is not null and run_ends_at is null and s.active order by run_started_at`
  return rows.map(({ source }) => source)
}

/**
 * Queues the next set of a run's parcels and stores the cursor, in one transaction, so that no parcel is skipped if the scheduler dies.
 * Parcels that are already queued count. False: that was the last set.
 */
export const enqueueRunSet = async (tx: Transaction, source: string, limit: number): Promise<boolean> => {
  const [set] = await tx<{ more: boolean }[]>`
      with run as (
        select * from source_refresh_policies
        where source = ${source} and run_started_at is not null and run_ends_at is null for update
      ), page as (
        select p.source_parcel_id from run join live_parcels p using (source)
        where (run.run_cursor is null or p.source_parcel_id > run.run_cursor) and (not run.agricultural_only or p.is_agricultural)
        order by p.source_parcel_id limit ${limit}
      ), queued as (
        insert into scrape_jobs (source, source_parcel_id, vendor, traceparent)
        select s.source, page.source_parcel_id, s.vendor, ${traceparentNow()} from page, sources s where s.source = ${source}
        order by page.source_parcel_id
        on conflict (source, source_parcel_id, status) where status in ('queued', 'running') do nothing
      )
      update source_refresh_policies policy set run_cursor = coalesce(size.last, run.run_cursor)
      from run, (select count(*) as n, max(source_parcel_id) as last from page) size where policy.source = run.source
      returning size.n = ${limit} as more`
  const more = set?.more ?? false
  // A separate statement: an id created in the one above could be lower than those of the jobs that it adds.
  if (!more)
    await tx`update source_refresh_policies set run_ends_at = uuidv7() where source = ${source} and run_started_at is not null`
  await tx`select pg_notify(${CHANNELS.jobsQueued}, '')`
  return more
}

import type { Db, Transaction } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'
import { CRAWL } from '../crawls/crawl-work'
import { idAt } from '../service/id-at'

/** How long points of a vendor's chart, and days of a source, are kept. */
const VENDOR_DAYS = 8
const SOURCE_DAYS = 30

/**
 * Adds the attempts and jobs that ended since the last call to `vendor_history` and `source_days`, in periods of five minutes, by
 * index. An attempt's end is the start of its transaction. So a period is counted only after all transactions that began in it have
 * ended. Transactions of other database users are not visible here; they get ten seconds. Call it from one process at a time.
 *
 * A call counts one hour at most, because a leader's transaction must be short. Returns whether there is more to count.
 */
export const keepHistory = async (tx: Transaction): Promise<boolean> => {
  const [span] = await tx<{ from: Date; to: Date; hasMore: boolean }[]>`
    update history_counted h set up_to = least(reach.up_to, h.up_to + interval '1 hour')
    from (
      select date_bin('5 minutes', least(now() - interval '10 seconds', min(xact_start)), '2000-01-01Z') as up_to
      from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
    ) reach
    where reach.up_to > h.up_to 
    returning old.up_to as "from", new.up_to as "to", new.up_to < reach.up_to as "hasMore"`
  if (span === undefined) return false
  await storeVendorHistory(tx, span)
  await tx`
    insert into source_days as d (source, day, finished, errors)
    select j.source, (finished_at at time zone 'UTC')::date, count(*), count(*) filter (where status = 'error')
    from (
      select ended.* from (select vendor from vendor_concurrency union select vendor from sources) v cross join lateral (
        select source, finished_at, status from scrape_jobs
        where vendor = v.vendor and status in ('done', 'error') and finished_at >= ${span.from} and finished_at < ${span.to}
      ) ended
      -- A crawl counts as one job.
      union all select source, finished_at, status from work
      where kind = ${CRAWL} and status in ('done', 'error') and finished_at >= ${span.from} and finished_at < ${span.to}
    ) j
    group by 1, 2
    on conflict (source, day) do update set finished = d.finished + excluded.finished, errors = d.errors + excluded.errors`
  await tx`delete from vendor_history where at < now() - ${VENDOR_DAYS} * interval '1 day'`
  await tx`delete from source_days where day < (now() at time zone 'UTC')::date - ${SOURCE_DAYS}::int`
  return span.hasMore
}

/**
 * Stores the points of vendors' charts. The ranges of the log have only one vendor. With equality, PostgreSQL would expect each vendor to have entries,
 * and would walk through the whole log for each point of one without any.
 */
export const storeVendorHistory = (db: Db, span: { from: Date; to: Date }) => db`
  insert into vendor_history (vendor, at, target, finished, errors, p95_ms)
  select vendor, at, coalesce(
      (select new_target from tuning_log l
        where l.vendor >= n.vendor and l.vendor <= n.vendor and created_at < at + interval '5 minutes'
        order by l.vendor, l.id desc nulls last limit 1),
      (select previous_target from tuning_log l
        where l.vendor >= n.vendor and l.vendor <= n.vendor order by l.vendor desc, l.id nulls first limit 1),
      target_concurrency
    ), finished, errors, p95_ms
  from (
    select v.vendor, v.target_concurrency, date_bin('5 minutes', ended_at, '2000-01-01Z') as at, count(*) as finished,
      count(*) filter (where outcome not in ('done', 'not_found')) as errors,
      percentile_disc(0.95) within group (order by duration_ms) filter (where outcome = 'done') as p95_ms
    from vendor_concurrency v join scrape_attempts a on a.vendor = v.vendor and ended_at >= ${span.from} and ended_at < ${span.to}
    group by v.vendor, 3
  ) n
  on conflict do nothing`

/** A vendor's history of the last `hours`, oldest first, with each change of its target and the reason, as JSON text. Null: no such vendor. */
export const findVendorHistory = async (db: Db, vendor: string, hours: number): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select json_build_object(
      'vendor', v.vendor,
      'points', coalesce((
        select json_agg(json_build_object('at', iso_utc(at), 'target', target, 'p95_seconds', p95_ms / 1000.0, 'errors', errors,
          'finished', finished) order by at)
        from vendor_history h where h.vendor = v.vendor and at >= now() - ${hours} * interval '1 hour'
      ), '[]'),
      'changes', coalesce((
        select json_agg(json_build_object('at', iso_utc(created_at), 'previous_target', previous_target, 'new_target', new_target,
          'reason', reason, 'actor', actor) order by id)
        from tuning_log l
        where l.vendor = v.vendor and created_at >= now() - ${hours} * interval '1 hour'
          and id >= ${idAt(db, db`${hours} * interval '-1 hour' - interval '1 minute'`)}
      ), '[]')
    )::text as body
    from vendor_concurrency v where v.vendor = ${vendor}`
  return row?.body ?? null
}

/** Finished jobs and errors per day (UTC), up to today, for every source that had any, as JSON text. */
export const readErrorHistory = async (db: Db, days: number): Promise<string> => {
  const rows = await db<{ body: string }[]>`
    with days as (
      select ((now() at time zone 'UTC')::date - n) as day from generate_series(0, ${days}::int - 1) n
    ), kept as (
      select * from source_days where day > (now() at time zone 'UTC')::date - ${days}::int and finished > 0
    ), histories as (
      select s.source, json_agg(json_build_object('day', d.day, 'finished', coalesce(k.finished, 0), 'errors', coalesce(k.errors, 0))
        order by d.day) as days
      from (select distinct source from kept join sources using (source)) s cross join days d
      left join kept k on k.source = s.source and k.day = d.day group by s.source
    )
    select json_build_object('counted_up_to', (select iso_utc(up_to) from history_counted), 'count', count(*),
      'sources', coalesce(json_agg(json_build_object('source_slug', source, 'days', days) order by source), '[]')
    )::text as body from histories`
  return onlyRow(rows).body
}

import type { Db, Sql } from '../../../core/postgres/database'
import { onlyRow } from '../../../core/postgres/only-row'

/* Queries of `bun run doctor`. */

export interface ServerState {
  /** 180004 for 18.4. */
  versionNumber: number
  version: string
  connections: number
  maxConnections: number
}

export const findServerState = async (db: Db): Promise<ServerState> => {
  const rows = await db<ServerState[]>`
    select current_setting('server_version_num')::int as "versionNumber", current_setting('server_version') as version,
      current_setting('max_connections')::int as "maxConnections",
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections`
  return onlyRow(rows)
}

const TAKEN_BACK = new Error('taken back')

/** Writes a megabyte to a temporary table, and takes it back. @throws the error of a server that accepts no writes */
export const tryToWrite = async (sql: Sql): Promise<void> => {
  const written = sql.begin(async (tx) => {
    await tx`create temporary table doctor_room as select generate_series(1, 30000) as n`
    throw TAKEN_BACK
  })
  await written.catch((error) => {
    if (error !== TAKEN_BACK) throw error
  })
}

/** The time of the server's clock, in ms since 1970. */
export const readServerTime = async (db: Db): Promise<number> => {
  const rows = await db<{ now: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`
  return onlyRow(rows).now
}

/** When the applied migrations were made, in ms since 1970, as drizzle records it. Empty before the first. */
export const listAppliedMigrations = async (db: Db): Promise<number[]> => {
  const [table] = await db`select to_regclass('drizzle.__drizzle_migrations') as name`
  if (table?.name === null) return []
  const rows = await db<{ at: string }[]>`select created_at::text as at from drizzle.__drizzle_migrations`
  return rows.map(({ at }) => Number(at))
}

/** The application names of the connections to this database. */
export const listApplicationNames = async (db: Db): Promise<string[]> => {
  const rows = await db<{ name: string }[]>`
    select distinct application_name as name from pg_stat_activity where datname = current_database()`
  return rows.map(({ name }) => name)
}

/** A session whose transaction others wait for, and which waits for nobody itself. */
export interface Blocker {
  pid: number
  /** Empty: it has none. */
  applicationName: string
  /** Null: a process of the server. */
  user: string | null
  openS: number
  /** How many sessions wait for locks. Some of them may wait for each other. */
  waiting: number
}

/** The sessions of this database whose transactions have been open for `openS` while others wait for their locks, the oldest first. */
export const listBlockers = async (db: Db, openS: number): Promise<Blocker[]> => {
  const rows = await db<Blocker[]>`
    with waits as materialized (
      select pid, unnest(pg_blocking_pids(pid)) as blocker from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
    )
    select pid, application_name as "applicationName", usename as user,
      extract(epoch from clock_timestamp() - xact_start)::int as "openS", (select count(distinct pid)::int from waits) as waiting
    from pg_stat_activity
    where pid in (select blocker from waits) and pid not in (select pid from waits)
      and xact_start < clock_timestamp() - ${openS} * interval '1 s'
    order by xact_start`
  return [...rows]
}

export interface WaitingVendor {
  vendor: string
  isBreakerOpen: boolean
  /** For how long no job was claimed: since the oldest was due, or since the last attempt ended. */
  waitedSeconds: number
}

/**
 * Vendors, except paused ones, with a job that has been due for `minutes`, but without a running job and without an attempt in that time.
 * Only the jobs of vendors without attempts are read.
 */
export const listWaitingVendors = (db: Db, minutes: number): Promise<WaitingVendor[]> => db<WaitingVendor[]>`
  with idle as materialized (
    select vendor, coalesce(c.breaker_opened_at is not null, false) as "isBreakerOpen",
      (select max(a.ended_at) from scrape_attempts a where a.vendor = v.vendor) as attempted_at
    from (select distinct vendor from sources) v left join vendor_concurrency c using (vendor)
    where not is_paused(c.paused_at, c.paused_until)
      and not exists (select from scrape_jobs j where j.vendor = v.vendor and status = 'running')
      and not exists (select from scrape_attempts a where a.vendor = v.vendor and a.ended_at > now() - ${minutes} * interval '1 minute')
  )
  select vendor, "isBreakerOpen",
    extract(epoch from now() - greatest(oldest.not_before, attempted_at))::float8 as "waitedSeconds"
  from idle v cross join lateral (
    select min(first.not_before) as not_before from unnest(enum_range(null::job_priority)) as p (priority) cross join lateral (
      (select not_before from scrape_jobs j
        where j.vendor = v.vendor and j.priority = p.priority and status = 'queued' and dispatched_at is null
        order by not_before limit 1)
      union all
      (select not_before from scrape_jobs j
        where j.vendor = v.vendor and j.priority = p.priority and status = 'queued' and dispatched_at is not null
        order by dispatched_at limit 1)
    ) first
  ) oldest
  where oldest.not_before < now() - ${minutes} * interval '1 minute'
  order by vendor`

/** Running jobs whose lease expired more than `minutes` ago. Any live worker would have requeued them. */
export const countLostJobs = async (db: Db, minutes: number): Promise<number> => {
  const rows = await db<{ n: number }[]>`
    select count(*)::int as n from scrape_jobs
    where status = 'running' and lease_expires_at < now() - make_interval(mins => ${minutes})`
  return onlyRow(rows).n
}

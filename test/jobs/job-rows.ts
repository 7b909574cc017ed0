import { CHANNELS } from '../../core/channels'
import type { Db, Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { cancelJob } from '../../src/orders/cancel-job'

export const insertVendor = async (sql: Sql, vendor: string, targetConcurrency: number): Promise<void> => {
  await sql`
    insert into vendor_concurrency (vendor, min_concurrency, max_concurrency, target_concurrency, slow_threshold_ms, fast_threshold_ms)
    values (${vendor}, 1, 1000, ${targetConcurrency}, 8000, 2000)`
}

export const insertSource = async (sql: Sql, source: string, vendor: string): Promise<void> => {
  await sql`
    insert into sources (source, state, county_name, vendor, base_url)
    values (${source}, 'OR', 'Elm', ${vendor}, 'https://elm.example')`
  await sql`insert into source_refresh_policies (source, next_due_at) values (${source}, '2099-01-01T00:00:00Z')`
}

/** Queues one job for each parcel, as an API process does: it inserts rows and sends a notification. */
export const enqueue = async (sql: Db, source: string, sourceParcelIds: readonly string[]): Promise<string[]> => {
  const rows = await sql<{ id: string }[]>`
    insert into scrape_jobs (source, source_parcel_id, vendor)
    select source, wanted.id, vendor from sources, unnest(${[...sourceParcelIds]}::text[]) as wanted (id)
    where source = ${source} returning id`
  await sql`select pg_notify(${CHANNELS.jobsQueued}, '')`
  return rows.map(({ id }) => id)
}

/** `DELETE /scrape-jobs/{id}`. False when the job has already ended. */
export const cancel = async (db: Db, id: string): Promise<boolean> => {
  try {
    await cancelJob(db, id, 'testtest')
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return false
    throw error
  }
}

export interface JobRow {
  id: string
  status: string
  attempts: number
  error_code: string | null
  error_message: string | null
  started_at: Date | null
  finished_at: Date | null
  duration_ms: number | null
  not_before: Date
}

export const findJob = async (sql: Sql, id: string): Promise<JobRow> => {
  const [row] = await sql<JobRow[]>`
    select id, status, attempts, error_code, error_message, started_at, finished_at, duration_ms, not_before
    from scrape_jobs where id = ${id}`
  if (row === undefined) throw new Error(`no job ${id}`)
  return row
}

export const countByStatus = async (sql: Sql): Promise<Record<string, number>> => {
  const rows = await sql<{ status: string; n: number }[]>`
    select status, count(*)::int as n from scrape_jobs group by status`
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]))
}

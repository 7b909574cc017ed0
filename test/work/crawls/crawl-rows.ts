import type { Sql } from '../../../core/postgres/database'
import { type CrawlRunnerDeps, createCrawlRunner } from '../../../src/work/crawl-runner'
import { createLoadRunner } from '../../../src/work/load-runner'
import { type TakeWorkDeps, takeWork } from '../../../src/work/take-work'
import { createWorkLoop, type WorkLoop } from '../../../src/work/work-loop'
import { insertSource } from '../../jobs/job-rows'

/** Inserts an active source with its layer at `baseUrl`. */
export const insertLayerSource = async (
  sql: Sql,
  source: string,
  baseUrl: string,
  config: Record<string, unknown> = { columns: { parcel_id: 'PIN', owner_names: ['OWNER'] } },
): Promise<void> => {
  await insertSource(sql, source, 'arcgis-rest')
  await sql`
    update sources set base_url = ${baseUrl}, vendor_config = ${JSON.stringify(config)}::text::jsonb, active = true
    where source = ${source}`
}

export interface CrawlRow {
  id: string
  status: string
  cursor: string | null
  attempts: number
  failures: number
  pages: number
  inserted: number
  updated: number
  unchanged: number
  rejected: number
  total: number | null
  error_code: string | null
  failure_class: string | null
  error_message: string | null
  not_before: Date
}

export type TakeCrawlDeps = CrawlRunnerDeps & Omit<TakeWorkDeps, 'runner'>

/** Claims and runs a crawl like a worker. */
export const takeCrawl = (deps: TakeCrawlDeps, options: Parameters<typeof takeWork>[1]): Promise<boolean> =>
  takeWork({ ...deps, runner: createCrawlRunner(deps) }, options)

/** Runs queued crawls and work on loads like a worker. */
export const createCrawler = (deps: TakeCrawlDeps & { pollMs?: number }): WorkLoop =>
  createWorkLoop({ ...deps, runners: [createCrawlRunner(deps), createLoadRunner(deps)] })

/** A crawl in some state. */
export const insertCrawl = async (
  sql: Sql,
  source: string,
  {
    status,
    id = Bun.randomUUIDv7(),
    finishedAt = null,
    errorCode = null,
    failureClass = null,
    errorMessage = null,
    ...counts
  }: {
    status: 'queued' | 'running' | 'done' | 'error'
    id?: string
    finishedAt?: string | null
    errorCode?: string | null
    failureClass?: string | null
    errorMessage?: string | null
  } & Partial<Record<'pages' | 'inserted' | 'updated' | 'unchanged' | 'rejected', number>>,
): Promise<void> => {
  const result = { pages: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0, ...counts }
  const records = result.inserted + result.updated + result.unchanged + result.rejected
  await sql`
    insert into work (id, kind, subject, source, vendor, payload, result, done, status, error_code, failure_class, error_message,
      finished_at, lease_expires_at)
    select ${id}, 'crawl', source, source, vendor, jsonb_build_object('base_url', base_url, 'vendor_config', vendor_config),
      ${JSON.stringify(result)}::text::jsonb, ${records}, ${status}, ${errorCode}, ${failureClass}, ${errorMessage}, ${finishedAt},
      case when ${status === 'running'} then now() + interval '1 minute' end
    from sources where source = ${source}`
}

/** The newest crawl of a source. */
export const latestCrawl = async (sql: Sql, source: string): Promise<CrawlRow> => {
  const [row] = await sql<CrawlRow[]>`
    select id, status, cursor, attempts, failures, c.*, total::int, error_code, failure_class, error_message, not_before
    from work cross join lateral
      jsonb_to_record(result) c (pages int, inserted int, updated int, unchanged int, rejected int)
    where kind = 'crawl' and source = ${source} order by id desc limit 1`
  if (row === undefined) throw new Error(`no crawl of ${source}`)
  return row
}

export const lastFullScrapeOf = async (sql: Sql, source: string): Promise<Date | null> => {
  const [row] = await sql<{ at: Date | null }[]>`select last_full_scrape_at as at from sources where source = ${source}`
  return row?.at ?? null
}

/** Number of parcels of a source. */
export const countParcels = async (sql: Sql, source: string): Promise<number> => {
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from parcels where source = ${source}`
  return row?.n ?? 0
}

import type { Sql } from '../../core/postgres/database'
import { insertSource } from './job-rows'

/** A source whose layer is at `baseUrl`, active. */
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
  error_message: string | null
  not_before: Date
}

/** The newest crawl of a source. */
export const latestCrawl = async (sql: Sql, source: string): Promise<CrawlRow> => {
  const [row] = await sql<CrawlRow[]>`
    select id, status, cursor, attempts, failures, pages, inserted::int, updated::int, unchanged::int, rejected::int,
      total::int, error_code, error_message, not_before
    from crawls where source = ${source} order by id desc limit 1`
  if (row === undefined) throw new Error(`no crawl of ${source}`)
  return row
}

export const lastFullScrapeOf = async (sql: Sql, source: string): Promise<Date | null> => {
  const [row] = await sql<{ at: Date | null }[]>`select last_full_scrape_at as at from sources where source = ${source}`
  return row?.at ?? null
}

/** Parcels of a source. */
export const countParcels = async (sql: Sql, source: string): Promise<number> => {
  const [row] = await sql<{ n: number }[]>`select count(*)::int as n from parcels where source = ${source}`
  return row?.n ?? 0
}

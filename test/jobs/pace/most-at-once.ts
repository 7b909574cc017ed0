import type { Sql } from '../../../core/postgres/database'

/** The highest number of concurrent jobs between two times on the database's clock, computed from the current rows. */
export const mostAtOnce = async (sql: Sql, from = '-infinity', to = 'infinity'): Promise<number> => {
  const [row] = await sql<{ most: number }[]>`
    with edges as (
      select started_at as at, 1 as step from scrape_jobs where started_at is not null
      union all select finished_at, -1 from scrape_jobs where finished_at is not null
    )
    select max(running)::int as most from (
      select at, sum(step) over (order by at, step) as running from edges
    ) counted where at > ${from}::text::timestamptz and at < ${to}::text::timestamptz`
  return row?.most ?? 0
}

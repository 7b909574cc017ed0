import type { Db } from '../../../core/postgres/database'

export interface CoverageRow {
  source: string
  state: string
  countyName: string
  active: boolean
  /** Null: not counted yet. */
  parcels: number | null
  retired: number | null
  filled: Record<string, number> | null
  /** [west, south, east, north]. */
  bbox: [number, number, number, number] | null
  /** The last scrape, complete refresh or applied load (ISO 8601). A load that is held, discarded or undone does not count. */
  lastRefreshAt: string | null
  countedAt: string | null
  dataAsOf: string | null
  changes30d: number
}

/** The coverage of every source that is not retired, by slug. Reads only tallies. */
export const listCoverage = (db: Db): Promise<CoverageRow[]> => db<CoverageRow[]>`
  with changed as (
    select source, sum(changes::int) as n from source_days
    where day > (now() at time zone 'UTC')::date - 30 group by source
  ), loaded as materialized (
    -- Read once. If one source has nearly all loads, PostgreSQL would read all of them for each source.
    select source, max(applied_at) as at from loads where status = 'applied' group by source
  ), scraped as materialized (
    select source, max(last_success_at) as at from source_tallies group by source
  )
  select s.source, s.state, s.county_name as "countyName", s.active, c.parcels::float8 as parcels, c.retired::float8 as retired,
    c.filled, case when c.bbox is not null
      then array[(c.bbox[1])[0], (c.bbox[1])[1], (c.bbox[0])[0], (c.bbox[0])[1]] end as bbox,
    iso_utc(greatest(c.refreshed_at, s.last_full_scrape_at, loaded.at, scraped.at)) as "lastRefreshAt",
    iso_utc(c.counted_at) as "countedAt", s.last_known_data_as_of as "dataAsOf", coalesce(changed.n, 0)::float8 as "changes30d"
  from sources s left join source_coverage c using (source) left join changed using (source)
    left join loaded using (source) left join scraped using (source)
  where s.retired_at is null
  order by s.source`

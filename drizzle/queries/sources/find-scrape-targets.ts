import type { Db, Fragment } from '../../../core/postgres/database'

/** What a scrape needs to know about its source, and about the parcel if it is stored. */
export interface ScrapeTargetRow {
  source: string
  sourceParcelId: string
  vendor: string
  baseUrl: string
  state: string
  countyName: string
  vendorConfig: Record<string, unknown>
  /** The parcel number in the scrape data, if it differs from the id and is not the id of another parcel of the source. Otherwise null. */
  storedNumber: string | null
  /** For a parcel that is not stored: the id of a stored one that differs only in punctuation or case. Null: none. */
  otherSpelling: string | null
  /** The portal's ETag and Last-Modified from the last scrape; null if it sent none. */
  etag: string | null
  lastModified: string | null
}

/**
 * The targets for `wanted`, rows with a `source` and a `source_parcel_id`. Rows with an unknown source are left out.
 *
 * Parcels are looked up one by one (`limit 1`), and other spellings by `parcel_key` alone (`offset 0`). With statistics from before a
 * source was loaded, the planner would read all ids of the source, once for each parcel.
 */
export const scrapeTargets = (db: Db, wanted: Fragment) => db`
  select s.source, wanted.source_parcel_id as "sourceParcelId", s.vendor, s.base_url as "baseUrl", s.state,
    s.county_name as "countyName", s.vendor_config as "vendorConfig",
    case when p.scrape_data ->> 'parcel_number' <> p.source_parcel_id and not exists (
      select from (
        select id, source from live_parcels
        where parcel_key(source_parcel_id) = parcel_key(p.scrape_data ->> 'parcel_number') offset 0
      ) other
      where other.source = p.source and other.id <> p.id
    ) then p.scrape_data ->> 'parcel_number' end as "storedNumber",
    case when p.id is null then (
      select min(other.source_parcel_id) from (
        select source, source_parcel_id from live_parcels
        where parcel_key(source_parcel_id) = parcel_key(wanted.source_parcel_id) offset 0
      ) other
      where other.source = wanted.source
    ) end as "otherSpelling",
    p.scrape_data ->> 'http_etag' as etag, p.scrape_data ->> 'http_last_modified' as "lastModified"
  from ${wanted}
  join sources s using (source)
  left join lateral (
    select * from parcels where source = wanted.source and source_parcel_id = wanted.source_parcel_id limit 1
  ) p on true`

/** The targets for these keys. Keys with an unknown source are left out. */
export const findScrapeTargets = (
  db: Db,
  keys: readonly { source: string; sourceParcelId: string }[],
): Promise<ScrapeTargetRow[]> =>
  db<ScrapeTargetRow[]>`${scrapeTargets(
    db,
    db`unnest(${keys.map(({ source }) => source)}::text[], ${keys.map(({ sourceParcelId }) => sourceParcelId)}::text[])
    as wanted (source, source_parcel_id)`,
  )}`

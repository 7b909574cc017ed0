import type { Db } from '../database'

/** What a scrape needs to know of its source, and of the parcel where the service has it. */
export interface ScrapeTargetRow {
  source: string
  sourceParcelId: string
  vendor: string
  baseUrl: string
  state: string
  countyName: string
  vendorConfig: Record<string, unknown>
  /** What the portal said with the last scrape; null where there was none. */
  etag: string | null
  lastModified: string | null
}

/** The targets of those keys whose source is known. */
export const findScrapeTargets = (
  db: Db,
  keys: readonly { source: string; sourceParcelId: string }[],
): Promise<ScrapeTargetRow[]> => db<ScrapeTargetRow[]>`
  select s.source, wanted.source_parcel_id as "sourceParcelId", s.vendor, s.base_url as "baseUrl", s.state,
    s.county_name as "countyName", s.vendor_config as "vendorConfig",
    p.scrape_data ->> 'http_etag' as etag, p.scrape_data ->> 'http_last_modified' as "lastModified"
  from unnest(${keys.map(({ source }) => source)}::text[], ${keys.map(({ sourceParcelId }) => sourceParcelId)}::text[])
    as wanted (source, source_parcel_id)
  join sources s using (source)
  left join parcels p on p.source = wanted.source and p.source_parcel_id = wanted.source_parcel_id`

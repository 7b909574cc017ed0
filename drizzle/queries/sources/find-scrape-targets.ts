import type { Db } from '../../../core/postgres/database'

/** What a scrape needs to know of its source, and of the parcel where the service has it. */
export interface ScrapeTargetRow {
  source: string
  sourceParcelId: string
  vendor: string
  baseUrl: string
  state: string
  countyName: string
  vendorConfig: Record<string, unknown>
  /** The parcel's number in its scrape data where that differs from its id. Null too when another parcel of the source has it as its id. */
  storedNumber: string | null
  /** For a parcel that is not stored: a stored one of the source whose id differs in punctuation or case only. Null: none. */
  otherSpelling: string | null
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
    case when p.scrape_data ->> 'parcel_number' <> p.source_parcel_id and not exists (
      select from parcels other
      where other.source = p.source and other.id <> p.id
        and parcel_key(other.source_parcel_id) = parcel_key(p.scrape_data ->> 'parcel_number')
    ) then p.scrape_data ->> 'parcel_number' end as "storedNumber",
    case when p.id is null then (
      select other.source_parcel_id from parcels other
      where other.source = wanted.source and parcel_key(other.source_parcel_id) = parcel_key(wanted.source_parcel_id)
      order by other.source_parcel_id limit 1
    ) end as "otherSpelling",
    p.scrape_data ->> 'http_etag' as etag, p.scrape_data ->> 'http_last_modified' as "lastModified"
  from unnest(${keys.map(({ source }) => source)}::text[], ${keys.map(({ sourceParcelId }) => sourceParcelId)}::text[])
    as wanted (source, source_parcel_id)
  join sources s using (source)
  left join parcels p on p.source = wanted.source and p.source_parcel_id = wanted.source_parcel_id`

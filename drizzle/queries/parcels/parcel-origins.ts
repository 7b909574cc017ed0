import type { Db } from '../../../core/postgres/database'

export interface ParcelOriginsRow {
  /** Columns that a source may bring, by name; without the boundary, of which `hasGeom` tells whether there is one. */
  columns: Record<string, unknown>
  hasGeom: boolean
  scrapeData: Record<string, unknown>
  /** As src/scrape/store/scrape-origins.ts writes it; null: no scrape since that is written. */
  origins: unknown
  /** ISO 8601. */
  ingestedAt: string
  updatedAt: string
  scrapedAt: string | null
}

/** What is known of where a parcel's fields are from; null when there is no such parcel. */
export const findParcelOrigins = async (
  db: Db,
  { source, id }: { source: string; id: string },
): Promise<ParcelOriginsRow | null> => {
  const [row] = await db<ParcelOriginsRow[]>`
    select json_build_object(
        'acreage', acreage, 'owner_name', owner_name, 'owner_names_all', owner_names_all,
        'owner_mailing_address', owner_mailing_address, 'situs_address', situs_address, 'situs_city', situs_city,
        'situs_state', situs_state, 'situs_zip', situs_zip, 'land_use_class', land_use_class, 'zoning_code', zoning_code,
        'zoning_description', zoning_description, 'is_agricultural', is_agricultural, 'assessed_value', assessed_value,
        'value_land', value_land, 'value_improvement', value_improvement
      ) as columns, geom is not null as "hasGeom", scrape_data as "scrapeData", scrape_origins as origins,
      iso_utc(ingested_at) as "ingestedAt", iso_utc(updated_at) as "updatedAt", iso_utc(scraped_at) as "scrapedAt"
    from parcels where source = ${source} and source_parcel_id = ${id}`
  return row ?? null
}

import { parcelFields } from '../../../core/parcel-fields'
import type { Db } from '../../../core/postgres/database'

/** Names and values for `json_build_object`. */
const VALUES_BY_NAME = parcelFields.map(({ name }) => `'${name}', ${name}`).join(', ')

export interface ParcelOriginsRow {
  /** The parcel's fields by name, without the boundary. `hasGeom` tells whether there is one. */
  columns: Record<string, unknown>
  hasGeom: boolean
  scrapeData: Record<string, unknown>
  /** As written by src/scrape/store/scrape-origins.ts; null: no scrape has recorded it. */
  origins: unknown
  /** ISO 8601. */
  ingestedAt: string
  updatedAt: string
  scrapedAt: string | null
}

/** A parcel's fields and what is known about their origins; null when there is no such parcel. */
export const findParcelOrigins = async (
  db: Db,
  { source, id }: { source: string; id: string },
): Promise<ParcelOriginsRow | null> => {
  const [row] = await db<ParcelOriginsRow[]>`
    select json_build_object(${db.unsafe(VALUES_BY_NAME)}) as columns, geom is not null as "hasGeom", scrape_data as "scrapeData", scrape_origins as origins,
      iso_utc(ingested_at) as "ingestedAt", iso_utc(updated_at) as "updatedAt", iso_utc(scraped_at) as "scrapedAt"
    from parcels where source = ${source} and source_parcel_id = ${id}`
  return row ?? null
}

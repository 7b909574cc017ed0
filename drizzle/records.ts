import type { MultiPolygon } from 'geojson'
import type { Bbox } from '../core/bbox'

/**
 * What an ingest or a scrape knows of one parcel. A field that is absent or null was not brought, and what is stored stays.
 * Money is whole dollars. `geom` is EPSG:4326, lon before lat, its rings closed and oriented as RFC 7946 asks.
 */
export interface ParcelInput {
  sourceParcelId: string
  geom?: MultiPolygon | null
  bbox?: Bbox | null
  acreage?: number | null
  ownerName?: string | null
  ownerNamesAll?: string[] | null
  ownerMailingAddress?: string | null
  situsAddress?: string | null
  situsCity?: string | null
  situsState?: string | null
  situsZip?: string | null
  landUseClass?: string | null
  zoningCode?: string | null
  zoningDescription?: string | null
  isAgricultural?: boolean | null
  assessedValue?: number | null
  valueLand?: number | null
  valueImprovement?: number | null
}

/** What a business registry says of one entity. */
export interface EntityInput {
  registryNumber: string
  name: string
  entityType?: string | null
  status?: string | null
  registeredAgentName?: string | null
}

export interface UpsertCounts {
  inserted: number
  updated: number
  unchanged: number
}

import type { MultiPolygon } from 'geojson'
import type { Bbox } from '../core/bbox'
import type { ParcelValues } from '../core/parcel-fields'

/**
 * What an ingest or a scrape knows of one parcel. A field that is absent or null was not brought, and what is stored stays.
 * `geom` is EPSG:4326, lon before lat, its rings closed and oriented as RFC 7946 asks.
 */
export type ParcelInput = {
  sourceParcelId: string
  geom?: MultiPolygon | null
  bbox?: Bbox | null
} & { [Key in keyof ParcelValues]?: ParcelValues[Key] | null }

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

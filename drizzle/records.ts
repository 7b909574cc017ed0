import type { MultiPolygon } from 'geojson'
import type { Bbox } from '../core/bbox'
import type { ParcelValues } from '../core/parcel-fields'

/**
 * One parcel from an ingest or a scrape. A field that is absent or null keeps its stored value. `geom` is EPSG:4326, lon before lat,
 * with closed rings oriented as RFC 7946 requires.
 */
export type ParcelInput = {
  sourceParcelId: string
  geom?: MultiPolygon | null
  bbox?: Bbox | null
} & { [Key in keyof ParcelValues]?: ParcelValues[Key] | null }

/** One entity from a business registry. */
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

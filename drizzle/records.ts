import type { MultiPolygon } from 'geojson'
import type { Bbox } from '../core/bbox'
import type { ParcelValues } from '../core/parcel-fields'

/**
 * One parcel from an ingest or a scrape. A field that is absent or null keeps its stored value. `geom` is EPSG:4326, lon before lat,
 * with closed rings oriented as RFC 7946 requires.
 */
export type ParcelInput = {
  sourceParcelId: string
  /** For the change log: the job that brought the values, and where they are from. */
  causeId?: string | null
  origin?: Origin | null
  geom?: MultiPolygon | null
  bbox?: Bbox | null
} & { [Key in keyof ParcelValues]?: ParcelValues[Key] | null }

/** Where values are from: a line of a loaded file, or a page of a portal, read by an adapter of this version of the service. */
export type Origin = { line: number } | { adapter: string; version: string; page?: string; as_of?: string }

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

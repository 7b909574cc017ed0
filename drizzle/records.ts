import type { MultiPolygon } from 'geojson'
import type { Bbox } from '../core/geometry/bbox'
import type { ParcelAccount } from '../core/parcels/accounts'
import type { ParcelFieldName, ParcelValues } from '../core/parcels/fields'

/**
 * One parcel from an ingest or a scrape. A field that is absent or null keeps its stored value, unless the load clears the field.
 * `geom` is EPSG:4326, lon before lat, with closed rings oriented as RFC 7946 requires.
 */
export type ParcelInput = {
  sourceParcelId: string
  /** For the change log: the job that wrote the values, and where they are from. */
  causeId?: string | null
  origin?: Origin | null
  geom?: MultiPolygon | null
  bbox?: Bbox | null
  accounts?: readonly ParcelAccount[] | null
} & { [Key in keyof ParcelValues]?: ParcelValues[Key] | null }

/** A row of a loaded file. `line` is its number in the load. `place` names it if it is not a line of the only file: see Places. */
export interface FileOrigin {
  line: number
  place?: string
}

/**
 * Where values are from: a row of a loaded file, or a page of a portal, read by an adapter of this version of the service. `page_hash` and `page_at` identify the stored responses and their time. `keeps` is
 * not stored: it lists fields whose value could not be read, so that they are not cleared.
 */
export type Origin =
  | (FileOrigin & { keeps?: ParcelFieldName[] })
  | { adapter: string; version: string; page?: string; page_hash?: string; page_at?: string; as_of?: string }

/** One entity from a business registry. */
export interface EntityInput {
  registryNumber: string
  name: string
  entityType?: string | null
  status?: string | null
  registeredAgentName?: string | null
}

/** How many rows a write inserted, updated, and left as they were. */
export interface UpsertCounts {
  inserted: number
  updated: number
  unchanged: number
}

export const NOTHING_WRITTEN: Readonly<UpsertCounts> = { inserted: 0, updated: 0, unchanged: 0 }

export const addCounts = (one: UpsertCounts, other: UpsertCounts): UpsertCounts => ({
  inserted: one.inserted + other.inserted,
  updated: one.updated + other.updated,
  unchanged: one.unchanged + other.unchanged,
})

import type { Bbox } from '../geometry/bbox'

/** Whether the parcels that sources list, retired parcels, or both are wanted. */
export type Lifecycle = 'listed' | 'retired' | 'all'

/**
 * Which parcels are wanted: those that meet every condition. Null: no condition. A parcel whose value is unknown meets no condition on
 * that value. drizzle/queries/parcels/parcel-filter.ts builds SQL from all conditions. search/retrieve/parcel-filter.ts builds a
 * Meilisearch filter from those that the search index supports.
 */
export interface ParcelFilter {
  /** 2-letter code. */
  state: string | null
  source: string | null
  /** Name of the county, as `listCountyNames` accepts it. */
  county: string | null
  /** The whole name of the owner. Names are compared after `normalize_name` (drizzle/functions/computed-columns.sql). */
  owner: string | null
  /** The whole `source_parcel_id`. Ids are compared in lower case, without punctuation. */
  parcelId: string | null
  /** A prefix of `land_use_class`, in upper or lower case. */
  landUse: string | null
  /** A prefix of one of `ZONING_FIELDS`, in upper or lower case. */
  zoning: string | null
  /** Whole dollars of `assessed_value`. Both ends are included. */
  minValue: number | null
  maxValue: number | null
  /** Both ends are included. */
  minAcres: number | null
  maxAcres: number | null
  isAgricultural: boolean | null
  /** The record changed at this time (ISO 8601) or later. */
  changedSince: string | null
  hasGeometry: boolean | null
  /** The parcel's bounding box overlaps this box. If west is greater than east, the box crosses the antimeridian. */
  bbox: Bbox | null
  lifecycle: Lifecycle
}

/** Every parcel that its source lists. */
export const LISTED_PARCELS: ParcelFilter = {
  state: null,
  source: null,
  county: null,
  owner: null,
  parcelId: null,
  landUse: null,
  zoning: null,
  minValue: null,
  maxValue: null,
  minAcres: null,
  maxAcres: null,
  isAgricultural: null,
  changedSince: null,
  hasGeometry: null,
  bbox: null,
  lifecycle: 'listed',
}

/** The API parameter of each condition, except the lifecycle. */
const PARAMETERS: Readonly<Record<Exclude<keyof ParcelFilter, 'lifecycle'>, string>> = {
  state: 'state',
  source: 'source',
  county: 'county',
  owner: 'owner',
  parcelId: 'parcel_id',
  landUse: 'land_use',
  zoning: 'zoning',
  minValue: 'min_value',
  maxValue: 'max_value',
  minAcres: 'min_acres',
  maxAcres: 'max_acres',
  isAgricultural: 'agricultural',
  changedSince: 'changed_since',
  hasGeometry: 'has_geometry',
  bbox: 'bbox',
}

/** The conditions of a filter as the parameters of a request, always in the same order. Empty: every parcel that its source lists. */
export const describeFilter = (filter: ParcelFilter): Record<string, unknown> => ({
  ...Object.fromEntries(
    Object.entries(PARAMETERS).flatMap(([condition, parameter]) => {
      const value = filter[condition as keyof ParcelFilter]
      return value === null ? [] : [[parameter, Array.isArray(value) ? value.join() : value]]
    }),
  ),
  ...(filter.lifecycle === 'retired' ? { retired: true } : filter.lifecycle === 'all' ? { include: 'retired' } : {}),
})

/**
 * Whether the filter has a condition that no registry entity can meet. `state` is an entity's jurisdiction; `source` and `zoning` do
 * not apply to entities.
 */
export const hasParcelsOnly = ({ state, source, zoning, lifecycle, ...parcelsOnly }: ParcelFilter): boolean =>
  Object.values(parcelsOnly).some((condition) => condition !== null)

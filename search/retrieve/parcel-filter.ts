import { type Bbox, splitAtAntimeridian } from '../../core/geometry/bbox'
import { ZONING_FIELDS } from '../../core/parcels/fields'
import type { ParcelFilter } from '../../core/parcels/filter'
import { listCountyNames } from '../../core/sources/county-names'
import { parcelKey } from '../query/text'

const HAS_BOX = 'west >= -180'

/**
 * A Meilisearch filter: all members must hold, and at least one of each inner list. Meilisearch ignores case. The index has no retired
 * parcels.
 */
export type MeilisearchFilter = (string | string[])[]

/** The filter of the index of parcels. The index lacks the owner as the database normalizes it, `isAgricultural` and `changedSince`. */
export const createParcelFilter = (filter: ParcelFilter): MeilisearchFilter => {
  const {
    state,
    source,
    county,
    parcelId,
    landUse,
    zoning,
    minValue,
    maxValue,
    minAcres,
    maxAcres,
    hasGeometry,
    bbox,
  } = filter
  return [
    state === null ? null : `state = ${quote(state)}`,
    source === null ? null : sourceIs(source),
    county === null ? null : `county_name IN [${listCountyNames(county).map(quote).join()}]`,
    parcelId === null ? null : `parcel_key = ${quote(parcelKey(parcelId))}`,
    landUse === null ? null : `land_use_class STARTS WITH ${quote(landUse)}`,
    zoning === null ? null : ZONING_FIELDS.map((field) => `${field} STARTS WITH ${quote(zoning)}`),
    minValue === null ? null : `assessed_value >= ${minValue}`,
    maxValue === null ? null : `assessed_value <= ${maxValue}`,
    minAcres === null ? null : `acreage >= ${minAcres}`,
    maxAcres === null ? null : `acreage <= ${maxAcres}`,
    hasGeometry === null ? null : hasGeometry ? HAS_BOX : `NOT ${HAS_BOX}`,
    bbox === null ? null : splitAtAntimeridian(bbox).map(meetsBox),
  ].filter((condition) => condition !== null)
}

/** Slugs are in lower case, so a slug in another case is unknown. It must not find the source, although Meilisearch ignores case. */
const sourceIs = (slug: string): string => (slug === slug.toLowerCase() ? `source = ${quote(slug)}` : 'source IN []')

const meetsBox = ([west, south, east, north]: Bbox): string =>
  `west <= ${east} AND east >= ${west} AND south <= ${north} AND north >= ${south}`

/** Quotes a value for a filter expression. */
export const quote = (value: string): string => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

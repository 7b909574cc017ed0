import { parcelFields } from '../../core/parcels/fields'
import type { ParcelInput } from '../../drizzle/records'

/** One GeoJSON Feature (RFC 7946) whose properties are named as the columns of `parcels`. */
export const encodeFeature = ({ sourceParcelId, geom, bbox, ...fields }: ParcelInput): string => {
  const properties = {
    source_parcel_id: sourceParcelId,
    ...Object.fromEntries(parcelFields.map(({ name, key }) => [name, fields[key]])),
  }
  return JSON.stringify({ type: 'Feature', bbox, properties, geometry: geom })
}

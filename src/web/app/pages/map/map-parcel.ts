export interface ParcelName {
  source: string
  source_parcel_id: string
}

/** Identifies a parcel in the URL and on the map. */
export const keyOf = ({ source, source_parcel_id }: ParcelName): string => `${source}/${source_parcel_id}`

/** The fields of a parcel on the map. Tiles omit null fields, and fields that the archive was built without. */
export interface MapParcel extends ParcelName {
  owner_name?: string | null
  situs_address?: string | null
}

/** A hit of a search, shown as a dot. */
export interface MapHit extends ParcelName {
  id: string
  situs_address: string | null
  owner_name: string | null
  lon: number
  lat: number
}

export type Point = { type: 'Point'; coordinates: [lon: number, lat: number] }

/** The boundary of a parcel, or its point if the boundary is unknown. Null: neither is known. A point is a new object each time. */
export const placeOf = ({ geom_geojson, lon, lat }: Located): MultiPolygon | Point | null => {
  if (geom_geojson !== null) return geom_geojson as MultiPolygon
  return lon === null || lat === null ? null : { type: 'Point', coordinates: [lon, lat] }
}

/** The fields of a parcel that say where it is. */
export interface Located {
  geom_geojson: unknown
  lon: number | null
  lat: number | null
}

export type MultiPolygon = { type: 'MultiPolygon'; coordinates: number[][][][] }

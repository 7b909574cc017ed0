export interface ParcelName {
  source: string
  source_parcel_id: string
}

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

export type MultiPolygon = { type: 'MultiPolygon'; coordinates: number[][][][] }

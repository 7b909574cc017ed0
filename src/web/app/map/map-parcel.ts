export interface ParcelName {
  source: string
  source_parcel_id: string
}

/** What the map knows of a parcel: a tile leaves out what is null, and what the archive was built without. */
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

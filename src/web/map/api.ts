/* What the page asks of the service. The key stays in this tab's session storage, and goes to this service alone. */

export interface ParcelName {
  source: string
  source_parcel_id: string
}

export interface Parcel extends ParcelName {
  owner_name: string | null
  owner_mailing_address: string | null
  situs_address: string | null
  situs_city: string | null
  situs_state: string | null
  situs_zip: string | null
  land_use_class: string | null
  zoning_code: string | null
  acreage: number | null
  assessed_value: number | null
  value_land: number | null
  value_improvement: number | null
  updated_at: string
  geom_geojson: { coordinates: [lon: number, lat: number][][][] } | null
}

export interface Hit extends ParcelName {
  owner_name: string | null
  situs_address: string | null
  situs_city: string | null
  county_name: string
  state: string
}

const KEY = 'parcel-map-key'

export const readKey = (): string => sessionStorage.getItem(KEY) ?? ''
export const keepKey = (key: string): void => sessionStorage.setItem(KEY, key)

/** An answer that is no success, in the service's own words. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const ask = async <Answer>(path: string, signal?: AbortSignal): Promise<Answer> => {
  const response = await fetch(path, { headers: { 'X-Service-Key': readKey() }, ...(signal ? { signal } : {}) })
  const body = await response.json()
  if (!response.ok) throw new Refusal(response.status, String(body.error))
  return body
}

export const searchParcels = async (query: string, signal: AbortSignal): Promise<Hit[]> =>
  (await ask<{ results: Hit[] }>(`/v1/search?types=parcels&limit=8&q=${encodeURIComponent(query)}`, signal)).results

export const getParcel = ({ source, source_parcel_id }: ParcelName): Promise<Parcel> =>
  ask(`/v1/parcels/${encodeURIComponent(source)}/${encodeURIComponent(source_parcel_id)}`)

/** Null: no archive has been built yet. */
export const findArchive = async (): Promise<{ path: string } | null> => {
  const response = await fetch('/tiles/manifest.json')
  if (response.status === 404) return null
  const { parcels } = await response.json()
  // By path: the page may be reached by another name than the service's BASE_URL.
  return { path: new URL(parcels.url).pathname }
}

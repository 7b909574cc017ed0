import type { ListField } from '../../../drizzle/queries/parcels/list-fields'
import type { ListedParcel } from '../../parcels/list-parcels'

/** Address of a parcel's page in the web app. */
export const pageOf = (baseUrl: string, source: string, id: string): string =>
  `${baseUrl}/app/parcels/${source}/${encodeURIComponent(id)}`

export const SHORT_FIELDS: readonly ListField[] = [
  'owner_name',
  'situs_address',
  'situs_city',
  'land_use_class',
  'assessed_value',
  'acreage',
]

/** The values of a listed parcel that tools need. */
export interface ListedValues {
  source: string
  source_parcel_id: string
  owner_name: string | null
  situs_address: string | null
  situs_city: string | null
  land_use_class: string | null
  assessed_value: number | null
  acreage: number | null
}

export const readListed = ({ body }: ListedParcel): ListedValues => JSON.parse(body) as ListedValues

/** A parcel in one line. Numbers have their unit in the name. */
export const describeShort = (
  {
    source,
    source_parcel_id,
    owner_name,
    situs_address,
    situs_city,
    land_use_class,
    assessed_value,
    acreage,
  }: ListedValues,
  baseUrl: string,
) => ({
  source,
  source_parcel_id,
  owner: owner_name,
  address: situs_address,
  city: situs_city,
  land_use: land_use_class,
  assessed_value_usd: assessed_value,
  area_acres: acreage,
  page: pageOf(baseUrl, source, source_parcel_id),
})

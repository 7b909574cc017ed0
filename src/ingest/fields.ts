/** What a field of a record takes. `money` is rounded to whole dollars; `list` is several texts. */
export type FieldKind = 'id' | 'name' | 'text' | 'money' | 'area' | 'boolean' | 'list'

export interface Field {
  /** The record's own name of it. */
  key: string
  kind: FieldKind
}

export type Fields = Readonly<Record<string, Field>>

/** What can be ingested of a parcel, by the names the API gives. */
export const PARCEL_FIELDS: Fields = {
  source_parcel_id: { key: 'sourceParcelId', kind: 'id' },
  owner_name: { key: 'ownerName', kind: 'text' },
  owner_names_all: { key: 'ownerNamesAll', kind: 'list' },
  owner_mailing_address: { key: 'ownerMailingAddress', kind: 'text' },
  situs_address: { key: 'situsAddress', kind: 'text' },
  situs_city: { key: 'situsCity', kind: 'text' },
  situs_state: { key: 'situsState', kind: 'text' },
  situs_zip: { key: 'situsZip', kind: 'text' },
  land_use_class: { key: 'landUseClass', kind: 'text' },
  zoning_code: { key: 'zoningCode', kind: 'text' },
  zoning_description: { key: 'zoningDescription', kind: 'text' },
  is_agricultural: { key: 'isAgricultural', kind: 'boolean' },
  acreage: { key: 'acreage', kind: 'area' },
  assessed_value: { key: 'assessedValue', kind: 'money' },
  value_land: { key: 'valueLand', kind: 'money' },
  value_improvement: { key: 'valueImprovement', kind: 'money' },
}

/** What can be ingested of a company of a state's business registry. */
export const ENTITY_FIELDS: Fields = {
  registry_number: { key: 'registryNumber', kind: 'id' },
  name: { key: 'name', kind: 'name' },
  entity_type: { key: 'entityType', kind: 'text' },
  status: { key: 'status', kind: 'text' },
  registered_agent_name: { key: 'registeredAgentName', kind: 'text' },
}

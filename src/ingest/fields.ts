import { ENTITY_TEXT, PARCEL_TEXT } from '../../core/bounds'

/** What a field of a record takes. `money` is rounded to whole dollars; `list` is several texts. */
export type FieldKind = TextKind | 'money' | 'area' | 'boolean'
type TextKind = 'id' | 'name' | 'text' | 'list'

export type Field = {
  /** The record's own name of it. */
  key: string
} & (
  | {
      kind: TextKind
      /** Maximum length in characters; in a list, of each text. A row with longer text is rejected. */
      most: number
    }
  | { kind: Exclude<FieldKind, TextKind> }
)

export type Fields = Readonly<Record<string, Field>>

/** What can be ingested of a parcel, by the names the API gives. */
export const PARCEL_FIELDS: Fields = {
  source_parcel_id: { key: 'sourceParcelId', kind: 'id', most: PARCEL_TEXT.source_parcel_id },
  owner_name: { key: 'ownerName', kind: 'text', most: PARCEL_TEXT.owner_name },
  owner_names_all: { key: 'ownerNamesAll', kind: 'list', most: PARCEL_TEXT.owner_names_all },
  owner_mailing_address: { key: 'ownerMailingAddress', kind: 'text', most: PARCEL_TEXT.owner_mailing_address },
  situs_address: { key: 'situsAddress', kind: 'text', most: PARCEL_TEXT.situs_address },
  situs_city: { key: 'situsCity', kind: 'text', most: PARCEL_TEXT.situs_city },
  situs_state: { key: 'situsState', kind: 'text', most: PARCEL_TEXT.situs_state },
  situs_zip: { key: 'situsZip', kind: 'text', most: PARCEL_TEXT.situs_zip },
  land_use_class: { key: 'landUseClass', kind: 'text', most: PARCEL_TEXT.land_use_class },
  zoning_code: { key: 'zoningCode', kind: 'text', most: PARCEL_TEXT.zoning_code },
  zoning_description: { key: 'zoningDescription', kind: 'text', most: PARCEL_TEXT.zoning_description },
  is_agricultural: { key: 'isAgricultural', kind: 'boolean' },
  acreage: { key: 'acreage', kind: 'area' },
  assessed_value: { key: 'assessedValue', kind: 'money' },
  value_land: { key: 'valueLand', kind: 'money' },
  value_improvement: { key: 'valueImprovement', kind: 'money' },
}

/** What can be ingested of a company of a state's business registry. */
export const ENTITY_FIELDS: Fields = {
  registry_number: { key: 'registryNumber', kind: 'id', most: ENTITY_TEXT.registry_number },
  name: { key: 'name', kind: 'name', most: ENTITY_TEXT.name },
  entity_type: { key: 'entityType', kind: 'text', most: ENTITY_TEXT.entity_type },
  status: { key: 'status', kind: 'text', most: ENTITY_TEXT.status },
  registered_agent_name: { key: 'registeredAgentName', kind: 'text', most: ENTITY_TEXT.registered_agent_name },
}

import { ENTITY_TEXT } from '../../../core/bounds'
import { type FieldType, PARCEL_TEXT, parcelFields } from '../../../core/parcels/fields'

/**
 * A field of a record. `id` and `name` are required texts; `money` is rounded to whole dollars; `list` is several texts. `key` is its
 * name in the record. A row is rejected when a text is longer than `maxLength` (characters; in a list, of each text), or a list longer
 * than `maxItems`.
 */
export type Field = { key: string } & (
  | { type: 'id' | 'name' | 'text'; maxLength: number }
  | { type: 'list'; maxLength: number; maxItems: number }
  | { type: Exclude<FieldType, 'text' | 'list'> }
)

export type Fields = Readonly<Record<string, Field>>

/** Whether a row without a value for the field is rejected. */
export const isRequired = ({ type }: Field): boolean => type === 'id' || type === 'name'

const isText = ({ type }: Field): boolean => type === 'text' || type === 'list'

/** The fields of a parcel that can be ingested, by their names in the API. Texts are first. */
export const PARCEL_FIELDS: Fields = {
  source_parcel_id: { key: 'sourceParcelId', type: 'id', maxLength: PARCEL_TEXT.source_parcel_id },
  ...Object.fromEntries(
    [...parcelFields.filter(isText), ...parcelFields.filter((field) => !isText(field))].map((field) => [
      field.name,
      field,
    ]),
  ),
}

/** The fields of a company in a state's business registry that can be ingested. */
export const ENTITY_FIELDS: Fields = {
  registry_number: { key: 'registryNumber', type: 'id', maxLength: ENTITY_TEXT.registry_number },
  name: { key: 'name', type: 'name', maxLength: ENTITY_TEXT.name },
  entity_type: { key: 'entityType', type: 'text', maxLength: ENTITY_TEXT.entity_type },
  status: { key: 'status', type: 'text', maxLength: ENTITY_TEXT.status },
  registered_agent_name: { key: 'registeredAgentName', type: 'text', maxLength: ENTITY_TEXT.registered_agent_name },
}

import { PARCEL_FIELDS, RECORD_FIELDS } from '../../../core/parcels/fields'

const TYPES = {
  text: { type: 'string' },
  list: { type: 'array', items: { type: 'string' } },
  area: { type: 'number' },
  degrees: { type: 'number' },
  // GDAL reads whole numbers as 32 bits.
  money: { type: 'number' },
  boolean: { type: 'boolean' },
} as const

/**
 * The schema of a feature, for JSON Schema and for OpenAPI 3.0. Unknown properties are null. `nullable` says so in OpenAPI, and JSON
 * Schema ignores it. A union of types would not work: GDAL 3.6 reads it as text.
 */
export const featureSchema = {
  type: 'object',
  required: ['type', 'id', 'geometry', 'properties'],
  properties: {
    type: { type: 'string', enum: ['Feature'] },
    id: { type: 'string', description: 'Id of the record.' },
    geometry: {
      type: 'object',
      nullable: true,
      description: 'A MultiPolygon in CRS84, or a Point if only a point of the parcel is known; null if neither is.',
    },
    properties: {
      type: 'object',
      properties: {
        source: { type: 'string', description: 'Slug of the source.' },
        source_parcel_id: { type: 'string', description: 'Id of the parcel, in the notation of its source.' },
        ...Object.fromEntries(
          RECORD_FIELDS.map((name) => {
            const { type, description } = PARCEL_FIELDS[name]
            return [name, { ...TYPES[type], nullable: true, description }]
          }),
        ),
        updated_at: { type: 'string', format: 'date-time', description: 'Time of the last change.' },
      },
    },
  },
}

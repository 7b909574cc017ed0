import { Type } from '@sinclair/typebox'
import { PARCEL_FIELDS, type ParcelFieldName, RECORD_FIELDS } from '../../../../core/parcels/fields'
import { nullable, textOrNull } from '../../schemas'

const schemaOfType = {
  text: textOrNull,
  list: (description: string, example: string) => Type.Array(Type.String({ examples: [example] }), { description }),
  area: (description: string, example: number) => nullable(Type.Number({ description, examples: [example] })),
  degrees: (description: string, example: number) => nullable(Type.Number({ description, examples: [example] })),
  money: (description: string, example: number) =>
    Type.Union([Type.Integer(), Type.Null()], { description, examples: [example] }),
  boolean: (description: string, example: boolean) =>
    Type.Union([Type.Boolean(), Type.Null()], { description, examples: [example] }),
}

type Schemas = { [Name in ParcelFieldName]: ReturnType<(typeof schemaOfType)[(typeof PARCEL_FIELDS)[Name]['type']]> }

const schemaOf = (name: ParcelFieldName) => {
  const { type, description, example } = PARCEL_FIELDS[name]
  const create: (description: string, example: never) => Schemas[ParcelFieldName] = schemaOfType[type]
  return create(description, example as never)
}

/** A schema for each field of the full record, in record order. */
export const parcelFieldSchemas = Object.fromEntries(RECORD_FIELDS.map((name) => [name, schemaOf(name)])) as Schemas

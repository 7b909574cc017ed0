import { withoutReferences } from './openapi-requests'

// biome-ignore lint/suspicious/noExplicitAny: a schema of the document
type Schema = any

/** Converts a part of an OpenAPI 3.0 document to JSON Schema: `nullable` becomes a null type. */
export const toJsonSchema = (part: Schema, document: Schema): Schema => withNull(withoutReferences(part, document))

const withNull = (schema: Schema): Schema => {
  if (Array.isArray(schema)) return schema.map(withNull)
  if (typeof schema !== 'object' || schema === null) return schema
  const { nullable, example: _, default: __, exclusiveMinimum, minimum, ...rest } = schema
  const converted = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, name === 'enum' ? value : withNull(value)]),
  )
  if (exclusiveMinimum === true) converted.exclusiveMinimum = minimum
  else if (minimum !== undefined) converted.minimum = minimum
  return nullable ? { anyOf: [converted, { type: 'null' }] } : converted
}

import { isDeepStrictEqual } from 'node:util'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Named schemas of the document, collected on the way. */
export type Components = Map<string, JsonObject>

const REFERENCE = '#/components/schemas/'

export const resolve = (schema: JsonObject, components: Components): JsonObject =>
  typeof schema.$ref === 'string' ? (components.get(schema.$ref.slice(REFERENCE.length)) ?? {}) : schema

/** Schema keywords, ours and the libraries', that OpenAPI does not know. */
const FOREIGN = new Set(['$id', 'elysiaMeta', 'takes', 'refusal', 'patternProperties', 'component', 'byDefault'])
/** Elysia marks the string branch of a coercing schema with one of these formats. */
const COERCION_FORMATS = new Set(['numeric', 'integer', 'boolean', 'ObjectString', 'ArrayString', 'Date'])

/** Converts a TypeBox schema (JSON Schema) to OpenAPI 3.0.3. A named schema becomes a reference. */
export const cleanSchema = (schema: Json, components: Components): Json => {
  if (Array.isArray(schema)) return schema.map((one) => cleanSchema(one, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const { component } = schema
  if (typeof component !== 'string') return cleanInline(schema, components)
  const cleaned = cleanInline(schema, components)
  const known = components.get(component)
  if (known === undefined) components.set(component, cleaned)
  else if (!isDeepStrictEqual(known, 'example' in known ? { example: known.example, ...cleaned } : cleaned)) {
    throw new Error(`two different schemas are named ${component}`)
  }
  return { $ref: `${REFERENCE}${component}` }
}

export const cleanInline = (schema: JsonObject, components: Components): JsonObject => {
  const { anyOf, examples, const: constant, exclusiveMinimum, ...rest } = schema
  const cleaned: JsonObject = {}
  for (const [name, value] of Object.entries(rest)) {
    if (FOREIGN.has(name)) continue
    if (name === 'properties') {
      cleaned.properties = Object.fromEntries(
        Object.entries(value as JsonObject).map(([key, field]) => [key, cleanSchema(field, components)]),
      )
    } else cleaned[name] = name === 'items' || name === 'additionalProperties' ? cleanSchema(value, components) : value
  }
  if (schema.byDefault !== undefined) cleaned.default = schema.byDefault
  if (Array.isArray(examples) && examples.length > 0) cleaned.example = examples[0] as Json
  if (constant !== undefined) cleaned.enum = [constant]
  if (typeof exclusiveMinimum === 'number')
    Object.assign(cleaned, { minimum: exclusiveMinimum, exclusiveMinimum: true })
  return anyOf === undefined ? cleaned : mergeBranches(cleaned, anyOf as JsonObject[], components)
}

const mergeBranches = (outer: JsonObject, branches: JsonObject[], components: Components): JsonObject => {
  const isCoercion = ({ type, format }: JsonObject) => type === 'string' && COERCION_FORMATS.has(String(format))
  const nullable = branches.some(({ type }) => type === 'null') ? { nullable: true } : {}
  const kept = branches
    .filter((branch) => branch.type !== 'null' && !isCoercion(branch))
    .map((branch) => cleanSchema(branch, components) as JsonObject)
  const [first] = kept
  if (kept.length === 1 && first !== undefined) {
    // Keywords next to a reference are ignored (OpenAPI 3.0.3, Reference Object), so it is wrapped in allOf.
    if (!('$ref' in first)) return { ...first, ...nullable, ...outer }
    const type = resolve(first, components).type ?? 'object'
    return { ...('nullable' in nullable ? { type } : {}), allOf: [first], ...nullable, ...outer }
  }
  if (kept.every((branch) => Array.isArray(branch.enum))) {
    return {
      type: first?.type ?? 'string',
      enum: kept.flatMap((branch) => branch.enum as Json[]),
      ...nullable,
      ...outer,
    }
  }
  return { anyOf: kept, ...nullable, ...outer }
}

import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** The first problem that `findProblems` finds; null when the value fits. */
export const findProblem = (schema: TSchema, value: unknown, path: string): string | null =>
  findProblems(schema, value, path).next().value ?? null

/**
 * Describes each field of `value` that does not fit `schema`: `limit must be a whole number from 1 to 5000`. `path` is the name of the
 * value itself (`body` is left out before its fields). A schema can set its own text: `takes` follows "must be", and `refusal` is the
 * whole message.
 */
export function* findProblems(schema: TSchema, value: unknown, path: string): Generator<string, undefined> {
  if (schema.type === 'object' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    yield* findFieldProblems(schema, value, path)
    return
  }
  if (schema.type === 'array' && Array.isArray(value)) {
    let isSound = true
    for (const [index, item] of value.entries()) {
      for (const problem of findProblems(schema.items as TSchema, item, `${path}[${index}]`)) {
        isSound = false
        yield problem
      }
    }
    if (!isSound) return
  }
  if (!fits(schema, value)) yield schema.refusal ?? `${path} must be ${describe(schema)}`
}

function* findFieldProblems(schema: TSchema, value: object, path: string): Generator<string> {
  const fields: Record<string, TSchema> = schema.properties ?? {}
  for (const [name, field] of Object.entries(fields)) {
    const given = (value as Record<string, unknown>)[name]
    const where = path === '' || path === 'body' ? name : `${path}.${name}`
    if (given !== undefined) yield* findProblems(field, given, where)
    else if (schema.required?.includes(name))
      yield field.refusal ?? `${where} is missing: it must be ${describe(field)}`
  }
  for (const [pattern, field] of Object.entries<TSchema>(schema.patternProperties ?? {})) {
    const names = Object.keys(value).filter((name) => !Object.hasOwn(fields, name) && new RegExp(pattern).test(name))
    for (const name of names)
      yield* findProblems(field, (value as Record<string, unknown>)[name], `${path}.${name.slice(0, 60)}`)
  }
  if (schema.additionalProperties === false) {
    const known = Object.keys(fields).join(', ')
    for (const name of Object.keys(value).filter((name) => !Object.hasOwn(fields, name))) {
      yield `${path === 'body' ? '' : `${path}: `}unknown field ${JSON.stringify(name.slice(0, 60))}; known are ${known}`
    }
  }
  if (Object.keys(value).length < (schema.minProperties ?? 0)) {
    yield `body must have at least one of ${Object.keys(fields).join(', ')}`
  }
}

/** Numbers and booleans in a query string are text. Elysia's coercing schemas are a union of that text and the real type. */
const fits = (schema: TSchema, value: unknown): boolean => {
  const coerced = findCoerced(schema)
  if (coerced === undefined || typeof value !== 'string') return Value.Check(schema, value)
  const { text, real } = coerced
  if (real.type === 'boolean') return value === 'true' || value === 'false'
  return Value.Check(text, value) && Value.Check(real, Number(value))
}

const COERCED_FORMATS = ['numeric', 'integer', 'boolean']

/** The two halves of a coercing schema. No other union of text and number in our schemas uses these formats. */
const findCoerced = (schema: TSchema): { text: TSchema; real: TSchema } | undefined => {
  const branches: TSchema[] = schema.anyOf ?? []
  const text = branches.find(({ type, format }) => type === 'string' && COERCED_FORMATS.includes(format))
  const real = branches.find(({ type }) => ['integer', 'number', 'boolean'].includes(type))
  return text === undefined || real === undefined ? undefined : { text, real }
}

/** What a schema accepts, in words. A schema's own `takes` has priority. */
const describe = (schema: TSchema): string => {
  if (typeof schema.takes === 'string') return schema.takes
  const coerced = findCoerced(schema)
  if (coerced !== undefined) return describe(coerced.real)
  const branches: TSchema[] | undefined = schema.anyOf
  if (branches !== undefined) {
    if (branches.every((branch) => 'const' in branch)) {
      return `one of ${branches.map((branch) => String(branch.const)).join(', ')}`
    }
    return branches.map(describe).join(' or ')
  }
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.join(', ')}`
  switch (schema.type) {
    case 'integer':
      return `a whole number${describeRange(schema)}`
    case 'number':
      return `a number${describeRange(schema)}`
    case 'boolean':
      return 'true or false'
    case 'string':
      return `${schema.format === 'uuid' ? 'a UUID' : 'text'}${describeLength(schema)}${schema.pattern === undefined ? '' : ` that matches ${schema.pattern}`}`
    case 'array':
      return schema.maxItems === undefined
        ? 'an array'
        : `an array of ${schema.minItems ?? 0} to ${schema.maxItems} items`
    case 'object':
      return schema.properties && Object.keys(schema.properties).length > 0
        ? `an object with ${Object.keys(schema.properties).join(', ')}`
        : 'an object'
    case 'null':
      return 'null'
    default:
      return 'another value'
  }
}

const describeLength = ({ minLength = 0, maxLength }: TSchema): string =>
  maxLength === undefined ? '' : ` of ${minLength} to ${maxLength} characters`

const describeRange = ({ minimum, exclusiveMinimum, maximum }: TSchema): string => {
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${maximum === undefined ? '' : `, at most ${maximum}`}`
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}

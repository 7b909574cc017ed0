/** A field of a response, for the guide at /docs. */
interface ResponseField {
  name: string
  type: string
  about: string
}

/** An object in a response. `title` is the name of its schema; null: the response itself. */
export interface ResponseObject {
  title: string | null
  fields: ResponseField[]
}

interface Schema {
  $ref?: string
  type?: string
  description?: string
  nullable?: boolean
  enum?: unknown[]
  allOf?: Schema[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
}

interface Operation {
  operationId?: string
  responses?: Record<string, { content?: Record<string, { schema?: Schema }> }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/**
 * The fields of the JSON that an operation returns on success, by its id: first those of the response itself, then those of the objects
 * in it. Objects inside these are only named; the API reference has them. Operations without such a response are left out.
 */
export const listResponseFields = ({ paths, components: { schemas } }: Document): Record<string, ResponseObject[]> => {
  const nameOf = ({ $ref = '' }: Schema) => $ref.slice($ref.lastIndexOf('/') + 1)
  const resolve = (schema: Schema): Schema => (schema.$ref === undefined ? schema : (schemas[nameOf(schema)] ?? {}))

  /** The named objects that a value can be, or have as items. */
  const objectsIn = (schema: Schema): Schema[] => {
    const branches = schema.allOf ?? schema.anyOf ?? (schema.items === undefined ? [] : [schema.items])
    if (branches.length > 0) return branches.flatMap(objectsIn)
    return schema.$ref !== undefined && resolve(schema).properties !== undefined ? [schema] : []
  }

  const typeOf = (schema: Schema): string => {
    const branches = schema.allOf ?? schema.anyOf
    const plain =
      schema.$ref !== undefined && resolve(schema).properties !== undefined
        ? nameOf(schema)
        : schema.$ref !== undefined
          ? typeOf(resolve(schema))
          : branches !== undefined
            ? branches.map(typeOf).join(' or ')
            : schema.enum !== undefined
              ? schema.enum.join(' | ')
              : schema.type === 'array'
                ? `list of ${typeOf(schema.items ?? {})}`
                : (schema.type ?? 'any JSON')
    return schema.nullable === true ? `${plain}, or null` : plain
  }

  const fieldsOf = (schema: Schema): ResponseField[] =>
    Object.entries(resolve(schema).properties ?? {}).map(([name, field]) => ({
      name,
      type: typeOf(field),
      about: field.description ?? resolve(field).description ?? '',
    }))

  const describe = (body: Schema): ResponseObject[] => {
    const inside = Object.values(resolve(body).properties ?? {}).flatMap(objectsIn)
    const named = new Map(inside.map((schema) => [nameOf(schema), schema]))
    return [
      { title: null, fields: fieldsOf(body) },
      ...[...named]
        .filter(([name]) => name !== 'MultiPolygon')
        .map(([title, schema]) => ({ title, fields: fieldsOf(schema) })),
    ]
  }

  const found: Record<string, ResponseObject[]> = {}
  for (const { operationId, responses = {} } of Object.values(paths).flatMap((item) => Object.values(item))) {
    const body = Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([, { content }]) => content?.['application/json']?.schema)
      .find((schema) => schema !== undefined)
    if (operationId !== undefined && body !== undefined) found[operationId] = describe(body)
  }
  return found
}

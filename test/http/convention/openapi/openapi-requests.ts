import fc from 'fast-check'

/* Makes requests from an OpenAPI document: valid, nearly valid and invalid ones. */

// biome-ignore lint/suspicious/noExplicitAny: the document is data
type Json = any

export interface GeneratedRequest {
  method: string
  /** The path in the document, such as `/v1/parcels/{source}/{id}`. */
  template: string
  path: string
  body: string | null
  contentType: string | null
  /** The caller. `person`: a signed-in admin. */
  caller: 'admin' | 'person' | 'read' | 'unknown' | 'none'
}

const HOSTILE_TEXT = [
  '',
  ' ',
  '%',
  '%00',
  '%zz',
  '%ff%fe',
  '..%2f..%2fetc%2fpasswd',
  '1e999',
  '-0',
  'NaN',
  '9'.repeat(400),
  '%E2%80%AE',
  '%27;--',
  '%3Cscript%3E',
  'a'.repeat(3_000),
  '%0d%0aSet-Cookie:%20a=b',
  'undefined',
  '[object%20Object]',
  '0x10',
  '١٢',
]

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXT),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.double().map((number) => encodeURIComponent(String(number))),
)

const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(null, true, [], {}, '', -1, 0, 1e308, '\u0000', '\ud800', 'x'.repeat(70_000)),
)

const hostileBody: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    '[',
    'null',
    '\ufeff{}',
    '"',
    '{"a":1}{"a":2}',
    '['.repeat(50_000),
    `{"a":${'{"a":'.repeat(5_000)}`,
  ),
  fc.json({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

/** A value that matches the schema. */
const fitting = (schema: Json): fc.Arbitrary<unknown> => {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fitting))
  if (schema.nullable) return fc.oneof(fc.constant(null), fitting({ ...schema, nullable: false }))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'integer') {
    return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000_000 })
  }
  if (schema.type === 'number') {
    return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true })
  }
  if (schema.type === 'array') {
    return fc.array(fitting(schema.items), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.min(schema.maxItems ?? 4, 4),
    })
  }
  if (schema.type === 'object') {
    const fields = Object.entries((schema.properties ?? {}) as Record<string, Json>)
    return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, fitting(field)])), {
      requiredKeys: schema.required ?? [],
    } as never)
  }
  const example = schema.example === undefined ? [] : [fc.constant(String(schema.example))]
  if (schema.format === 'uuid') return fc.oneof(fc.uuid(), ...example)
  if (schema.format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString())
  if (schema.pattern)
    return fc.oneof(
      ...example,
      fc.stringMatching(new RegExp(schema.pattern)).map((text) => text.slice(0, schema.maxLength ?? 80)),
    )
  return fc.oneof(
    ...example,
    fc.string({ minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 40, 40) }),
  )
}

/** A value just outside the schema's limits, if it has any. */
const nearlyFitting = (schema: Json): fc.Arbitrary<unknown> => {
  const edges: unknown[] = [null, '', '1', -1, 0, 1.5, true, [], {}]
  if (schema.minimum !== undefined) edges.push(schema.minimum - 1)
  if (schema.maximum !== undefined) edges.push(schema.maximum + 1)
  if (schema.maxLength !== undefined) edges.push('x'.repeat(schema.maxLength + 1))
  if (schema.enum) edges.push(`${schema.enum[0]}x`, String(schema.enum[0]).toUpperCase())
  const odd = fc.constantFrom(...edges)
  if (schema.type !== 'object' || Object.keys(schema.properties ?? {}).length === 0) return odd
  const names = Object.keys(schema.properties)
  return fc.oneof(
    odd,
    fc
      .tuple(
        fitting(schema),
        fc.constantFrom(...names),
        fc.oneof(...names.map((name) => nearlyFitting(schema.properties[name]))),
      )
      .map(([value, name, other]) => ({ ...(value as object), [name]: other })),
    fitting(schema).map((value) => ({ ...(value as object), no_such_field: 1 })),
  )
}

const asText = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  arbitrary.map((value) =>
    encodeURIComponent((typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()),
  )

/** Mostly valid values, because a request with one wrong part should be right elsewhere. */
const parameterText = (schema: Json): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: asText(fitting(schema)) },
    { weight: 2, arbitrary: asText(nearlyFitting(schema)) },
    { weight: 1, arbitrary: hostileText },
  )

const requestsOf = (template: string, method: string, operation: Json): fc.Arbitrary<GeneratedRequest> => {
  const parameters: Json[] = operation.parameters ?? []
  const inPath = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) =>
    parameters.find((parameter) => parameter.in === 'path' && parameter.name === name),
  )
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const schemaOf = (parameter: Json) => ({
    ...parameter.schema,
    example: parameter.example ?? parameter.schema.example,
  })
  const path = fc
    .tuple(...inPath.map((parameter) => parameterText(schemaOf(parameter)).map((text) => text || 'x')))
    .map((values) => values.reduce((path, value) => path.replace(/\{\w+\}/, () => value), template))
  const query = fc
    .tuple(
      ...inQuery.map((parameter) =>
        fc.oneof(
          {
            weight: parameter.required ? 8 : 2,
            arbitrary: parameterText(schemaOf(parameter)).map((text) => `${parameter.name}=${text}`),
          },
          // Two or three of many optional ones, so that one that is wrong does not make every request wrong.
          { weight: parameter.required ? 1 : Math.max(4, inQuery.length), arbitrary: fc.constant('') },
          // The same name twice.
          {
            weight: 1,
            arbitrary: fc
              .tuple(parameterText(schemaOf(parameter)), hostileText)
              .map(([a, b]) => `${parameter.name}=${a}&${parameter.name}=${b}`),
          },
        ),
      ),
    )
    .map((parts) => parts.filter((part) => part !== '').join('&'))
  const schema = operation.requestBody?.content?.['application/json']?.schema
  const body =
    schema === undefined
      ? fc.constant(null)
      : fc.oneof(
          { weight: 5, arbitrary: fitting(schema).map((value) => JSON.stringify(value)) },
          { weight: 3, arbitrary: nearlyFitting(schema).map((value) => JSON.stringify(value)) },
          { weight: 2, arbitrary: hostileJson.map((value) => JSON.stringify(value)) },
          { weight: 1, arbitrary: hostileBody },
        )
  return fc.record({
    method: fc.constant(method.toUpperCase()),
    template: fc.constant(template),
    path: fc.tuple(path, query).map(([path, query]) => (query === '' ? path : `${path}?${query}`)),
    body,
    contentType: fc.oneof(
      { weight: 8, arbitrary: fc.constant('application/json') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/json; charset=utf-16',
          'multipart/form-data; boundary=x',
          'x',
        ),
      },
    ),
    caller: fc.oneof(
      { weight: 5, arbitrary: fc.constant('admin' as const) },
      { weight: 3, arbitrary: fc.constant('person' as const) },
      { weight: 1, arbitrary: fc.constantFrom('read' as const, 'unknown' as const, 'none' as const) },
    ),
  })
}

/** A part of a document with its references resolved. None of the schemas is recursive. */
export const withoutReferences = (part: Json, document: Json): Json => {
  if (Array.isArray(part)) return part.map((one) => withoutReferences(one, document))
  if (typeof part !== 'object' || part === null) return part
  if (typeof part.$ref === 'string') {
    const path: string[] = part.$ref.split('/').slice(1)
    return withoutReferences(
      path.reduce((at, name) => at[name], document),
      document,
    )
  }
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withoutReferences(value, document)]))
}

/** Requests to each operation of the document. */
export const operationsOf = (document: Json): fc.Arbitrary<GeneratedRequest>[] =>
  Object.entries(withoutReferences(document.paths, document) as Record<string, Json>).flatMap(([template, item]) =>
    Object.entries(item as Record<string, Json>).map(([method, operation]) => requestsOf(template, method, operation)),
  )

/** Requests to all operations of the document, at random. */
export const requestsFrom = (document: Json): fc.Arbitrary<GeneratedRequest> => fc.oneof(...operationsOf(document))

import { isDeepStrictEqual } from 'node:util'
import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import { version } from '../../../package.json'
import { errorBody } from '../convention/errors'
import { tilePaths } from '../tiles/tile-paths'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

/** Error responses: description, example, and headers in addition to those of every response. */
const ERRORS: Record<string, { description: string; example: string; headers?: HeaderName[] }> = {
  400: {
    description: 'The request is not valid. The error names the field and the accepted values.',
    example: 'limit must be a whole number from 1 to 100',
  },
  401: {
    description: 'The key is missing, unknown or revoked, or the caller is not signed in.',
    example: 'missing or invalid api key',
    headers: ['WWW-Authenticate'],
  },
  403: { description: 'The key or the account lacks the capability.', example: 'this key lacks the capability: admin' },
  404: { description: 'Not found.', example: 'not found' },
  409: {
    description:
      'Conflict with the current state, for example with a running operation or a running request with the same Idempotency-Key. The error says which.',
    example: 'a request with this Idempotency-Key is still running: try again shortly',
  },
  413: {
    description:
      'The body is larger than 1 MiB (lists: 16 MiB, parts of files: 8 MiB). A declared length is checked before the key; the length of a chunked body is checked after it.',
    example: 'the body is larger than 1048576 bytes',
  },
  415: {
    description: 'The body has the wrong `Content-Type`, or a `Content-Encoding`.',
    example: 'the body must be JSON, with Content-Type: application/json',
  },
  416: {
    description: 'The range is outside the archive. `Content-Range` gives the size of the archive.',
    example: 'the range is outside the archive, which has 1234 bytes',
    headers: ['Content-Range'],
  },
  422: {
    description: 'This Idempotency-Key was used for a different request.',
    example: 'this Idempotency-Key was used for a different request: choose a new one',
  },
  429: {
    description:
      'This key or account has too many open streams, waiting requests or dry runs, or too many sign-in attempts came from this IP address.',
    example: 'this key or account already has 10 open streams: close one',
  },
  '4XX': { description: 'The request could not be understood.', example: 'no such route' },
  500: { description: 'Internal error.', example: 'internal error' },
  502: {
    description:
      'The portal or the network failed. The error names the host, what failed, and the status if there was one.',
    example: 'network: gis.larkspur.example refused the connection',
  },
  503: {
    description:
      'A server that the service depends on is unavailable, or the service is busy. `Retry-After` says when to try again.',
    example: 'the database is unavailable, try again shortly',
    headers: ['Retry-After'],
  },
}

/** Response headers. Every response has `X-Request-Id`. */
const HEADERS = {
  'X-Request-Id': {
    description:
      'Id of the request: the one that you sent, if it is 1 to 128 characters of `A-Za-z0-9._-`, otherwise a new one. Operators can find it in their logs.',
    example: '019b76da-8c00-7000-8000-000000000001',
  },
  ETag: { description: 'Version of the response. Send it back as `If-None-Match`.', example: 'W/"1k2j3h"' },
  'Retry-After': { description: 'Try again after this many seconds.', example: '5' },
  'WWW-Authenticate': { description: 'Authentication scheme.', example: 'ServiceKey' },
  'Idempotent-Replayed': {
    description: '`true` when this is the stored response to an earlier request with the same Idempotency-Key.',
    example: 'true',
  },
  Warning: {
    description: '`199 - "search degraded"` while Meilisearch is unavailable.',
    example: '199 - "search degraded"',
  },
  'X-Dataset-Version': {
    description:
      'The response has every change up to this version (`GET /v1/changes`). It may have newer ones. Send it with a later request to get nothing older.',
    example: '70412',
  },
  Location: { description: 'URL to go to next.', example: '/app/search' },
  'Content-Range': {
    description: 'Range of the returned bytes, and the total size.',
    example: 'bytes 0-16383/1048576',
  },
  'Accept-Ranges': { description: 'Byte ranges can be requested.', example: 'bytes' },
} as const
type HeaderName = keyof typeof HEADERS

const DESCRIPTION = `US land parcels from hundreds of county portals: typo-tolerant search, lookups, bounding boxes, scrapes and boundary tiles. Send your key as \`X-Service-Key\`.

Every \`/v1\` route also works without the prefix. Those paths are deprecated and not listed here. Their responses have the headers \`Deprecation\` (RFC 9745), \`Sunset\` (RFC 8594) and \`Link\` with \`rel="successor-version"\`.

GIS programs find the parcels at \`/ogc\` (OGC API - Features). Its document is \`/ogc/api\`.

Every response has \`X-Request-Id\`, and every 503 has \`Retry-After\`. Unknown query parameters are ignored; unknown body fields are rejected.`

/** The original schemas of a route. The plugin keeps only part of the request and response schemas. */
interface RouteSchemas {
  body?: Json
  response?: Record<string, Json>
}

/** Named schemas of the document, collected on the way. */
type Components = Map<string, JsonObject>

/**
 * The OpenAPI 3.0 document of `routes`. The swagger plugin collects it from their schemas; this function cleans it up: one media type,
 * no coercion branches, `nullable` instead of null types, each named schema once, every response described, shared error responses.
 * Paths without /v1 are left out.
 */
export const buildOpenApi = async (routes: AnyElysia): Promise<JsonObject> => {
  const gathering = new Elysia({ normalize: false })
    .use(
      swagger({
        path: '/raw',
        // Otherwise the plugin treats a path with a dot as a file.
        excludeStaticFile: false,
        documentation: {
          info: {
            title: 'Parcel Data Service',
            version,
            description: DESCRIPTION,
            license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
          },
          tags: [
            { name: 'search', description: 'Typeahead search over owners, addresses, parcel ids and companies.' },
            { name: 'parcels', description: 'One parcel, or the parcels in a bounding box.' },
            { name: 'exports', description: 'All parcels of a filter, as a file or a stream.' },
            { name: 'changes', description: 'Every change of every parcel, in order.' },
            { name: 'findings', description: 'Issues that the review engine found in parcels.' },
            { name: 'scrape-jobs', description: 'Queued, running and finished scrapes.' },
            { name: 'events', description: 'Live updates.' },
            { name: 'watches', description: 'Changes of parcels, owners, areas and sources, sent to you.' },
            { name: 'portfolios', description: 'Parcels and searches that you keep, with notes and tags.' },
            { name: 'matches', description: 'Matches between the rows of a list and the parcels.' },
            { name: 'work', description: 'Crawls, tile builds and all other long-running work, in one list.' },
            { name: 'loads', description: 'Loads of files and crawls: changes, held loads, and undo.' },
            { name: 'sources', description: 'County portals and their refresh policies.' },
            {
              name: 'concurrency',
              description: "Each vendor's number of concurrent scrapes, and the tuner that sets it.",
            },
            { name: 'alerts', description: 'Problems of the service: rules, current and past alerts.' },
            { name: 'account', description: 'The signed-in person and their keys.' },
            { name: 'tiles', description: 'Parcel boundaries for maps.' },
            { name: 'system', description: 'Health, documentation and pages of the service.' },
          ],
        },
      }),
    )
    .use(routes)
  const raw = (await (await gathering.handle(new Request('http://localhost/raw/json'))).json()) as JsonObject
  const schemas = new Map(
    routes.routes.map(({ method, path, hooks }) => [
      `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`,
      hooks as RouteSchemas,
    ]),
  )
  const components: Components = new Map()
  // The shared error responses use it.
  cleanSchema(errorBody as unknown as Json, components)
  const paths: JsonObject = {}
  for (const [path, item] of Object.entries({ ...(raw.paths as Record<string, JsonObject>), ...tilePaths })) {
    const operations = Object.entries(item).filter(([, operation]) =>
      isListed(path, operation as JsonObject, raw.paths as JsonObject),
    )
    if (operations.length === 0) continue
    paths[path] = Object.fromEntries(
      operations.map(([method, operation]) => [
        method,
        cleanOperation(method, operation as JsonObject, schemas.get(`${method} ${path}`) ?? {}, components),
      ]),
    )
  }
  const parameters = shareParameters(paths)
  const errors = usedOf(ERRORS, (status) => `#/components/responses/Error${status}"`, paths)
  const responses = Object.fromEntries(
    errors.map(([status, { description, example, headers = [] }]) => [
      `Error${status}`,
      errorResponse(description, example, headers),
    ]),
  )
  const headers = usedOf(HEADERS, (name) => `#/components/headers/${name}"`, { paths, responses })
  return {
    openapi: '3.0.3',
    info: raw.info as Json,
    // Relative, so that the document and its page work under every host name of the service.
    servers: [{ url: '/' }],
    tags: raw.tags as Json,
    security: [{ ServiceKey: [] }, { Session: [] }],
    paths,
    components: {
      securitySchemes: {
        ServiceKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Service-Key',
          description:
            'An API key. Every key can read. Some keys also have the capability `enqueue`, `bulk-export` or `admin`.',
        },
        Session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'pds_session',
          description:
            'Session of a signed-in browser (`/auth/sign-in`). Over HTTPS the name is `__Host-pds_session`. It has the capability of the account: `read`; `enqueue` and `bulk-export` with a paid plan; `admin` with that role. Requests that change something must have the Origin of this service. A key in the header takes precedence.',
        },
      },
      parameters,
      headers: Object.fromEntries(
        headers.map(([name, { description, example }]) => [name, { description, schema: { type: 'string' }, example }]),
      ),
      schemas: Object.fromEntries([...components].sort(([one], [other]) => (one < other ? -1 : 1))),
      responses,
    },
  }
}

/**
 * The parameters that several operations share, by name. If a name has several definitions, the most common one is shared. Replaces
 * them in `paths` with references.
 */
const shareParameters = (paths: JsonObject): JsonObject => {
  const operations = Object.values(paths as Record<string, JsonObject>).flatMap(Object.values) as JsonObject[]
  const forms = Map.groupBy(
    operations.flatMap(({ parameters = [] }) => parameters as JsonObject[]),
    (parameter) => JSON.stringify(parameter),
  )
  const shared = new Map<string, string>()
  for (const [form, uses] of [...forms].sort(([, some], [, others]) => others.length - some.length)) {
    const name = String(uses[0]?.name)
    if (uses.length > 1 && !shared.has(name)) shared.set(name, form)
  }
  for (const operation of operations) {
    if (operation.parameters === undefined) continue
    operation.parameters = (operation.parameters as JsonObject[]).map((parameter) =>
      shared.get(String(parameter.name)) === JSON.stringify(parameter)
        ? { $ref: `#/components/parameters/${parameter.name}` }
        : parameter,
    )
  }
  return Object.fromEntries([...shared].sort().map(([name, form]) => [name, JSON.parse(form)]))
}

/** The entries that the document references. */
const usedOf = <Entry>(
  entries: Readonly<Record<string, Entry>>,
  referenceTo: (name: string) => string,
  document: JsonObject,
): [string, Entry][] => {
  const text = JSON.stringify(document)
  return Object.entries(entries).filter(([name]) => text.includes(referenceTo(name)))
}

/** Whether the document lists a route: /v1 routes, and public routes that have no form with /v1. */
const isListed = (path: string, { security }: JsonObject, paths: JsonObject): boolean =>
  path.startsWith('/v1/') || (Array.isArray(security) && security.length === 0 && !(`/v1${path}` in paths))

const headersOf = (names: readonly HeaderName[]): JsonObject =>
  Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const errorResponse = (description: string, example: string, headers: readonly HeaderName[]): JsonObject => ({
  description,
  headers: headersOf(headers),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { error: example } } },
})

const IDEMPOTENCY_KEY: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to retry. Within 24 hours it takes effect once; a repeated request gets the first response again, with `Idempotent-Replayed: true`.',
  example: '019b76da-8c00-7000-8000-000000000001',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const LAST_EVENT_ID: JsonObject = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'Id of the last event that you received.',
  example: '70413-5518',
  schema: { type: 'string' },
}

const IF_NONE_MATCH: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETag of the response that you have. If it has not changed, the response is 304 without a body.',
  example: 'W/"1k2j3h"',
  schema: { type: 'string' },
}

const SEEN_VERSION: JsonObject = {
  name: 'X-Dataset-Version',
  in: 'header',
  required: false,
  description:
    'A dataset version that you have seen. The response has every change up to it, if there is such a version.',
  example: '70412',
  schema: { type: 'string' },
}

const cleanOperation = (
  method: string,
  operation: JsonObject,
  schemas: RouteSchemas,
  components: Components,
): JsonObject => {
  const {
    'x-conditional': isConditional,
    'x-resumable': isResumable,
    'x-idempotency-key': idempotencyKey,
    'x-headers': ownHeaders = {},
    'x-content': lists,
    ...rest
  } = operation
  const isPublic = Array.isArray(operation.security) && operation.security.length === 0
  const body = operation.requestBody as JsonObject | undefined
  const responses = operation.responses as Record<string, JsonObject>
  // Every POST accepts an Idempotency-Key (idempotency.ts), except those with NO_IDEMPOTENCY_KEY.
  const isIdempotent = method === 'post' && idempotencyKey !== 'ignored'
  const parameters = ((operation.parameters ?? []) as JsonObject[]).map((parameter) =>
    cleanParameter(parameter, components),
  )
  if (isIdempotent) parameters.push(IDEMPOTENCY_KEY)
  if (isConditional === true) parameters.push(IF_NONE_MATCH)
  if (isResumable === true) parameters.push(LAST_EVENT_ID)
  if (JSON.stringify(ownHeaders).includes(SEEN_VERSION.name as string)) parameters.push(SEEN_VERSION)
  const statuses = new Set([
    ...Object.keys(responses),
    ...(isConditional === true ? ['304'] : []),
    // The service reads the body even if the route does not need it.
    ...(isPublic || method === 'get' ? [] : ['413', '415']),
    ...(isIdempotent ? ['409', '422'] : []),
  ])
  if (![...statuses].some((status) => status.startsWith('4'))) statuses.add('4XX')
  const headersOfStatus = (status: string): HeaderName[] => [
    ...(isConditional === true && ['200', '304'].includes(status) ? ['ETag' as const] : []),
    ...(isIdempotent && status.startsWith('2') ? ['Idempotent-Replayed' as const] : []),
    ...(status === '302' ? ['Location' as const] : []),
    ...(ERRORS[status]?.headers ?? []),
    ...((ownHeaders as Record<string, HeaderName[]>)[status] ?? []),
  ]
  return {
    ...rest,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(
      body === undefined ? null : cleanBody(schemas.body ?? {}, components),
      lists as JsonObject | undefined,
    ),
    responses: Object.fromEntries(
      [...statuses].sort().map((status) => {
        const answer = responses[status] ?? {}
        const isPlainError = status in ERRORS && !hasOwnFields(answer)
        return [
          status,
          isPlainError
            ? { $ref: `#/components/responses/Error${status}` }
            : {
                ...describeAnswer(
                  status,
                  answer,
                  schemas.response?.[status] ?? null,
                  `${operation.summary}.`,
                  components,
                ),
                headers: headersOf(headersOfStatus(status)),
              },
        ]
      }),
    ),
  }
}

/** `lists`: the media types of lists that the route takes, alone or besides JSON (convention/body/list-body.ts). */
const requestBodyOf = (body: JsonObject | null, lists: JsonObject | undefined): { requestBody?: JsonObject } => {
  if (lists === undefined) return body === null ? {} : { requestBody: body }
  return {
    requestBody: {
      description: 'The list.',
      required: true,
      ...body,
      content: { ...(body?.content as JsonObject | undefined), ...lists },
    },
  }
}

/** A nullable body is optional. */
const cleanBody = (body: Json, components: Components): JsonObject => {
  const { nullable, ...schema } = cleanSchema(body, components) as JsonObject
  const [only] = (schema.allOf ?? []) as JsonObject[]
  const described = only ?? schema
  const { description } = resolve(described, components)
  return {
    ...(description === undefined ? {} : { description }),
    required: nullable !== true,
    content: { 'application/json': { schema: described, example: exampleOf(described, components) } },
  }
}

/** Describes a response. Responses written by hand have no route schema. They have their own description, and maybe no content. */
const describeAnswer = (
  status: string,
  { description, content }: JsonObject,
  schema: Json,
  summary: string,
  components: Components,
): JsonObject =>
  status === '304'
    ? { description: 'Not modified: the response that you have is current.' }
    : {
        description: (schema === null && description) || (ERRORS[status]?.description ?? summary),
        ...(schema === null && content === undefined
          ? {}
          : { content: schema === null ? onlyJson(content as JsonObject, components) : asJson(schema, components) }),
      }

/** Whether an error response has fields other than `error`. */
const hasOwnFields = (response: JsonObject | undefined): boolean => {
  const content = response?.content as Record<string, { schema?: { properties?: JsonObject } }> | undefined
  return Object.keys(content?.['application/json']?.schema?.properties ?? {}).some((field) => field !== 'error')
}

/**
 * Cleans a parameter. The plugin moves the examples out of its schema. Optional query parameters get no example, because pages for
 * trying calls fill in every example, and all filters together would find nothing.
 */
const cleanParameter = ({ schema, examples = [], ...parameter }: JsonObject, components: Components): JsonObject => {
  const { description, example = (examples as Json[])[0], ...rest } = cleanInline(schema as JsonObject, components)
  return {
    ...parameter,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined || (parameter.in === 'query' && parameter.required !== true) ? {} : { example }),
    schema: rest,
  }
}

/** Keeps only the JSON of a content. A content without JSON (pages, text) is unchanged. */
const onlyJson = (content: JsonObject, components: Components): JsonObject => {
  const json = content['application/json'] as { schema?: Json } | undefined
  return json === undefined ? content : asJson(json.schema ?? {}, components)
}

/** A schema as a content with an example. A named schema carries its own example. */
const asJson = (raw: Json, components: Components): JsonObject => {
  const schema = cleanSchema(raw, components) as JsonObject
  const example = exampleOf(schema, components)
  if (!('$ref' in schema)) return { 'application/json': { schema, example } }
  resolve(schema, components).example = example
  return { 'application/json': { schema } }
}

const REFERENCE = '#/components/schemas/'

const resolve = (schema: JsonObject, components: Components): JsonObject =>
  typeof schema.$ref === 'string' ? (components.get(schema.$ref.slice(REFERENCE.length)) ?? {}) : schema

/** An example of a cleaned schema: its own if it has one, otherwise one built from its parts. */
const exampleOf = (reference: JsonObject, components: Components): Json => {
  const schema = resolve(reference, components)
  if (schema.example !== undefined) return schema.example
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  const [branch] = (schema.allOf ?? schema.anyOf ?? []) as JsonObject[]
  if (branch !== undefined) return exampleOf(branch, components)
  if (schema.type === 'array') {
    return Array.from({ length: Number(schema.minItems ?? 1) }, () => exampleOf(schema.items as JsonObject, components))
  }
  if (schema.type === 'object') {
    return Object.fromEntries(
      Object.entries((schema.properties ?? {}) as Record<string, JsonObject>).map(([name, field]) => [
        name,
        exampleOf(field, components),
      ]),
    )
  }
  if (schema.type === 'boolean') return true
  return schema.type === 'string' ? 'text' : Number(schema.minimum ?? 1)
}

/** Schema keywords, ours and the libraries', that OpenAPI does not know. */
const FOREIGN = new Set(['$id', 'elysiaMeta', 'takes', 'refusal', 'patternProperties', 'component', 'byDefault'])
/** Elysia marks the string branch of a coercing schema with one of these formats. */
const COERCION_FORMATS = new Set(['numeric', 'integer', 'boolean', 'ObjectString', 'ArrayString', 'Date'])

/** Converts a TypeBox schema (JSON Schema) to OpenAPI 3.0.3. A named schema becomes a reference. */
const cleanSchema = (schema: Json, components: Components): Json => {
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

const cleanInline = (schema: JsonObject, components: Components): JsonObject => {
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

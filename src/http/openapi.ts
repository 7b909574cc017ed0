import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import { version } from '../../package.json'
import { tilePaths } from './tile-paths'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

const ERRORS: Record<string, { description: string; example: string }> = {
  400: {
    description: 'Something does not fit; the error names the field and what it takes.',
    example: 'limit must be a whole number from 1 to 100',
  },
  401: {
    description: 'The key is missing, unknown or revoked, or nobody is signed in.',
    example: 'missing or invalid api key',
  },
  403: { description: 'The key or the account lacks the capability.', example: 'this key lacks the capability: admin' },
  404: { description: 'There is no such thing.', example: 'not found' },
  409: {
    description:
      'It cannot be done as things stand, the error says why; something under way must end first; or a request with this Idempotency-Key is under way.',
    example: 'a request with this Idempotency-Key is under way: try again shortly',
  },
  413: {
    description:
      'The body is larger than 1 MiB. A declared length is judged before the key, the length of a chunked body after it.',
    example: 'the body is larger than 1048576 bytes',
  },
  416: {
    description: 'The range lies outside the archive, whose size `Content-Range` gives.',
    example: 'the range lies outside the archive, which has 1234 bytes',
  },
  415: {
    description: 'The body is not declared as JSON.',
    example: 'the body must be JSON, with Content-Type: application/json',
  },
  422: {
    description: 'This Idempotency-Key was used for another request.',
    example: 'this Idempotency-Key was used for another request: choose a new one',
  },
  429: {
    description: 'Too many: streams that this key or account has open, or sign-ins from this address.',
    example: 'there are 10 open streams of this key or account already: close one',
  },
  '4XX': { description: 'The request could not be understood.', example: 'no such route' },
  500: { description: 'A fault of the service.', example: 'internal error' },
  502: { description: 'The portal or the network failed.', example: 'the portal did not answer' },
  503: {
    description:
      'A server that the service needs is away, or the service is busy. `Retry-After` says when to try again.',
    example: 'the database is away, try again shortly',
  },
}

/**
 * The OpenAPI 3.0 document of `routes`, as the swagger plugin gathers it from their schemas, made clean: one media type, no
 * coercion branches, `nullable` in place of null types, every answer described, errors shared.
 */
export const buildOpenApi = async (routes: AnyElysia): Promise<JsonObject> => {
  const gathering = new Elysia({ normalize: false })
    .use(
      swagger({
        path: '/raw',
        // It takes a path with a dot in it for a file.
        excludeStaticFile: false,
        documentation: {
          info: {
            title: 'Parcel Data Service',
            version,
            description:
              'US land parcels of hundreds of county portals: search that forgives typos, look-ups, bounding boxes, scrapes and boundary tiles. Send your key as `X-Service-Key`.',
            license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
          },
          tags: [
            { name: 'search', description: 'Typeahead over owners, addresses, parcel ids and companies.' },
            { name: 'parcels', description: 'Look-ups, one parcel or a bounding box.' },
            { name: 'findings', description: 'What the review engine noticed about a parcel.' },
            { name: 'scrape-jobs', description: 'Scrapes that are queued, running or ended.' },
            { name: 'events', description: 'What happens, told as it happens.' },
            { name: 'sources', description: 'County portals, and how often they are refreshed.' },
            {
              name: 'concurrency',
              description: 'How much of each vendor is scraped at once, and the tuner that sees to it.',
            },
            { name: 'account', description: 'The person who is signed in, and their keys.' },
            { name: 'tiles', description: 'Parcel boundaries for maps.' },
            { name: 'system', description: 'The service about itself.' },
          ],
        },
      }),
    )
    .use(routes)
  const raw = (await (await gathering.handle(new Request('http://localhost/raw/json'))).json()) as JsonObject
  const paths: JsonObject = {}
  for (const [path, item] of Object.entries({ ...(raw.paths as Record<string, JsonObject>), ...tilePaths })) {
    paths[path] = Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [
        method,
        cleanOperation(path, method, operation as JsonObject),
      ]),
    )
  }
  const used = (status: string) => JSON.stringify(paths).includes(`#/components/responses/Error${status}"`)
  return {
    openapi: '3.0.3',
    info: raw.info as Json,
    // Relative: the document and its page work under whatever name the service is reached by.
    servers: [{ url: '/' }],
    tags: raw.tags as Json,
    security: [{ ServiceKey: [] }, { Session: [] }],
    paths,
    components: {
      securitySchemes: {
        ServiceKey: { type: 'apiKey', in: 'header', name: 'X-Service-Key' },
        Session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'pds_session',
          description:
            'Of a browser whose user signed in (`/auth/sign-in`); `__Host-pds_session` behind HTTPS. It may do what the account may: read; `enqueue` with a paid plan; `admin` with that role. Whatever changes something must come with the Origin of this service. A key in the header counts first.',
        },
      },
      schemas: { Error: { type: 'object', required: ['error'], properties: { error: { type: 'string' } } } },
      responses: Object.fromEntries(
        Object.entries(ERRORS)
          .filter(([status]) => used(status))
          .map(([status, { description, example }]) => [`Error${status}`, errorResponse(description, example)]),
      ),
    },
  }
}

const errorResponse = (description: string, example: string): JsonObject => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { error: example } } },
})

const IDEMPOTENCY_KEY: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a request safe to repeat: within 24 hours it is carried out once, and repeating it gets the first answer, with `Idempotent-Replayed: true`.',
  example: '019b76da-8c00-7000-8000-000000000001',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const IF_NONE_MATCH: JsonObject = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the answer that you have: 304, without a body, as long as it is the same.',
  schema: { type: 'string' },
}

const cleanOperation = (path: string, method: string, operation: JsonObject): JsonObject => {
  const isPublic = Array.isArray(operation.security) && operation.security.length === 0
  const unversioned = !isPublic && !path.startsWith('/v1/')
  const body = operation.requestBody as JsonObject | undefined
  const responses = operation.responses as Record<string, JsonObject>
  // Every POST takes an Idempotency-Key (idempotency.ts), but for those whose answer must not be kept.
  const isPost = method === 'post' && operation['x-idempotency-key'] !== 'ignored'
  const parameters = [...((operation.parameters ?? []) as JsonObject[]).map(cleanParameter)]
  if (isPost) parameters.push(IDEMPOTENCY_KEY)
  const isConditional = operation['x-conditional'] === true
  if (isConditional) parameters.push(IF_NONE_MATCH)
  const statuses = new Set([
    ...Object.keys(responses),
    ...(isConditional ? ['304'] : []),
    // A body that nobody asked for is read all the same.
    ...(isPublic || method === 'get' ? [] : ['413', '415']),
    ...(isPost ? ['409', '422'] : []),
  ])
  if (![...statuses].some((status) => status.startsWith('4'))) statuses.add('4XX')
  return {
    ...operation,
    operationId: `${operation.operationId}${unversioned ? 'Unversioned' : ''}`,
    ...(unversioned ? { deprecated: true } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { ...body, content: onlyJson(body.content as JsonObject) } }),
    responses: Object.fromEntries(
      [...statuses].sort().map((status) => {
        const answer = responses[status] ?? {}
        const isPlainError = status in ERRORS && !hasOwnFields(answer)
        return [
          status,
          isPlainError ? { $ref: `#/components/responses/Error${status}` } : describeAnswer(status, answer),
        ]
      }),
    ),
  }
}

/** The plugin gives every answer a content; one written by hand may have none (304), and says itself what it is. */
const describeAnswer = (status: string, { description, content }: JsonObject): JsonObject =>
  status === '304'
    ? { description: 'The answer that you have is still the same.' }
    : {
        description: description || (ERRORS[status]?.description ?? 'As asked.'),
        ...(content === undefined && description ? {} : { content: onlyJson(content as JsonObject) }),
      }

/** Whether an error answer tells more than what was wrong. */
const hasOwnFields = (response: JsonObject | undefined): boolean => {
  const content = response?.content as Record<string, { schema?: { properties?: JsonObject } }> | undefined
  return Object.keys(content?.['application/json']?.schema?.properties ?? {}).some((field) => field !== 'error')
}

/** The plugin moves a schema's examples out of it. */
const cleanParameter = ({ schema, examples = [], ...parameter }: JsonObject): JsonObject => {
  const { description, example = (examples as Json[])[0], ...rest } = cleanSchema(schema as Json) as JsonObject
  return {
    ...parameter,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
    schema: rest,
  }
}

/** The JSON of a content, with an example; a content that has none (pages, texts) stays. */
const onlyJson = (content: JsonObject | undefined): JsonObject => {
  const json = content?.['application/json'] as { schema?: Json } | undefined
  if (content !== undefined && json === undefined) return content
  const schema = cleanSchema(json?.schema ?? {}) as JsonObject
  return { 'application/json': { schema, example: exampleOf(schema) } }
}

/** A value that fits a cleaned schema: its own example where it has one, else put together from its parts. */
const exampleOf = (schema: JsonObject): Json => {
  if (schema.example !== undefined) return schema.example
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  if (schema.nullable === true) return null
  if (Array.isArray(schema.anyOf)) return exampleOf(schema.anyOf[0] as JsonObject)
  if (schema.type === 'array') {
    return Array.from({ length: Number(schema.minItems ?? 1) }, () => exampleOf(schema.items as JsonObject))
  }
  if (schema.type === 'object') {
    return Object.fromEntries(
      Object.entries((schema.properties ?? {}) as Record<string, JsonObject>).map(([name, field]) => [
        name,
        exampleOf(field),
      ]),
    )
  }
  if (schema.type === 'boolean') return true
  return schema.type === 'string' ? '' : Number(schema.minimum ?? 1)
}

/** Words of our own and the libraries' that OpenAPI does not know. */
const FOREIGN = new Set(['$id', 'elysiaMeta', 'takes', 'refusal', 'patternProperties'])
/** Formats by which Elysia marks the text branch of a coercing schema. */
const COERCION_FORMATS = new Set(['numeric', 'integer', 'boolean', 'ObjectString', 'ArrayString', 'Date'])

/** A TypeBox schema (JSON Schema) as OpenAPI 3.0.3 writes it. */
const cleanSchema = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(cleanSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  const { anyOf, examples, const: constant, exclusiveMinimum, ...rest } = schema
  const cleaned: JsonObject = {}
  for (const [name, value] of Object.entries(rest)) {
    if (FOREIGN.has(name)) continue
    if (name === 'properties') {
      cleaned.properties = Object.fromEntries(
        Object.entries(value as JsonObject).map(([key, field]) => [key, cleanSchema(field)]),
      )
    } else
      cleaned[name] = typeof value === 'object' && name !== 'required' && name !== 'enum' ? cleanSchema(value) : value
  }
  if (Array.isArray(examples) && examples.length > 0) cleaned.example = examples[0] as Json
  if (constant !== undefined) cleaned.enum = [constant]
  if (typeof exclusiveMinimum === 'number')
    Object.assign(cleaned, { minimum: exclusiveMinimum, exclusiveMinimum: true })
  return anyOf === undefined ? cleaned : mergeBranches(cleaned, anyOf as JsonObject[])
}

const mergeBranches = (outer: JsonObject, branches: JsonObject[]): JsonObject => {
  const isCoercion = ({ type, format }: JsonObject) => type === 'string' && COERCION_FORMATS.has(String(format))
  const nullable = branches.some(({ type }) => type === 'null') ? { nullable: true } : {}
  const kept = branches
    .filter((branch) => branch.type !== 'null' && !isCoercion(branch))
    .map((branch) => cleanSchema(branch) as JsonObject)
  const [first] = kept
  if (kept.length === 1 && first !== undefined) return { ...first, ...nullable, ...outer }
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

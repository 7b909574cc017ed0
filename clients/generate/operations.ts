import type { OpenApiDocument, Parameter, Schema } from './document'

/** When a request may be repeated although it is not known whether it took effect. */
type Repeat =
  /** It changes nothing, or has the same effect when repeated. */
  | 'safe'
  /** With an Idempotency-Key. */
  | 'key'
  | 'never'

/** The body of a successful response. */
export type Answer =
  | { kind: 'json'; schema: Schema }
  /** One page of a list; `items` is the field with its rows. */
  | { kind: 'page'; schema: Schema; items: string }
  | { kind: 'text' }
  /** Bytes that may not fit into memory. */
  | { kind: 'stream' }

/** A method of the clients. */
export interface Operation {
  id: string
  method: string
  path: string
  summary: string
  description: string
  pathParameters: string[]
  query: Parameter[]
  body: { json: Schema | null; textTypes: string[]; isRequired: boolean } | null
  answer: Answer
  repeat: Repeat
}

/** Written by hand: one operation whose response depends on the body, its file, and an endless stream. */
const BY_HAND = ['createExport', 'downloadExport', 'streamEvents']

/** Operations without /v1 that are not pages for people. */
const UNVERSIONED = ['health', 'tileManifest', 'tileJson']

/** POSTs without an Idempotency-Key that can be repeated: a query, and an upload whose id is derived from its bytes. */
const SAFE_POSTS = ['listParcelsWithin', 'addUpload']

export const listOperations = ({ paths, components }: OpenApiDocument): Operation[] => {
  const resolve = (parameter: Parameter | { $ref: string }): Parameter => {
    if (!('$ref' in parameter)) return parameter
    const name = parameter.$ref.replace('#/components/parameters/', '')
    const found = components.parameters[name]
    if (found === undefined) throw new Error(`the document has no parameter ${name}`)
    return found
  }
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { operationId: id }]) => path.startsWith('/v1/') || UNVERSIONED.includes(id))
      .filter(([, { operationId: id }]) => !BY_HAND.includes(id))
      .map(([method, { operationId: id, summary, description = '', parameters = [], requestBody, responses }]) => {
        const all = parameters.map(resolve)
        const content = requestBody?.content ?? {}
        return {
          id,
          method: method.toUpperCase(),
          path,
          summary,
          description,
          pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
          query: all.filter((parameter) => parameter.in === 'query'),
          body:
            requestBody === undefined
              ? null
              : {
                  json: content['application/json']?.schema ?? null,
                  textTypes: Object.keys(content).filter((type) => type !== 'application/json'),
                  isRequired: requestBody.required === true,
                },
          answer: answerOf(id, responses, all),
          repeat: repeatOf(id, method, all),
        }
      }),
  )
}

const repeatOf = (id: string, method: string, parameters: readonly Parameter[]): Repeat => {
  if (method === 'get' || method === 'delete' || SAFE_POSTS.includes(id)) return 'safe'
  return parameters.some(({ name }) => name === 'Idempotency-Key') ? 'key' : 'never'
}

const answerOf = (
  id: string,
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>,
  parameters: readonly Parameter[],
): Answer => {
  const content = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {}
  const schema = content['application/json']?.schema
  if (schema === undefined) return { kind: 'text/plain' in content ? 'text' : 'stream' }
  const properties = schema.properties ?? {}
  const lists = Object.keys(properties).filter((name) => properties[name]?.type === 'array')
  const isPaged = 'next' in properties && parameters.some(({ name }) => name === 'after')
  if (!isPaged) return { kind: 'json', schema }
  const [items, ...others] = lists
  if (items === undefined || others.length > 0) throw new Error(`${id} must have one list of rows, not ${lists.length}`)
  return { kind: 'page', schema, items }
}

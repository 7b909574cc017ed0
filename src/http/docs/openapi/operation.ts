import { cleanBody, describeAnswer, hasOwnFields, requestBodyOf } from './bodies'
import { ERRORS } from './errors'
import { type HeaderName, headersOf } from './headers'
import { cleanParameter, IDEMPOTENCY_KEY, IF_NONE_MATCH, LAST_EVENT_ID, SEEN_VERSION } from './parameters'
import type { Components, Json, JsonObject } from './schema'

/** The original schemas of a route. The plugin keeps only part of the request and response schemas. */
export interface RouteSchemas {
  body?: Json
  response?: Record<string, Json>
}

/** What the details of a route, and its method, say about its requests and responses. */
interface Traits {
  /** The service reads the body even if the route does not need it. */
  readsBody: boolean
  isConditional: boolean
  isResumable: boolean
  /** It accepts an Idempotency-Key. */
  isIdempotent: boolean
  /** Headers of the responses, by status. */
  ownHeaders: Record<string, HeaderName[]>
}

export const cleanOperation = (
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
    'x-body': ownBody,
    ...rest
  } = operation
  const isPublic = Array.isArray(operation.security) && operation.security.length === 0
  const traits: Traits = {
    readsBody: !isPublic && method !== 'get',
    isConditional: isConditional === true,
    isResumable: isResumable === true,
    // Every POST accepts an Idempotency-Key (idempotency.ts), except those with NO_IDEMPOTENCY_KEY.
    isIdempotent: method === 'post' && idempotencyKey !== 'ignored',
    ownHeaders: ownHeaders as Traits['ownHeaders'],
  }
  const parameters = ((operation.parameters ?? []) as JsonObject[]).map((one) => cleanParameter(one, components))
  parameters.push(...headerParametersOf(traits))
  const body = operation.requestBody === undefined ? null : cleanBody(schemas.body ?? {}, components)
  const answers = operation.responses as Record<string, JsonObject>
  const describe = (status: string): JsonObject => {
    const answer = answers[status] ?? {}
    if (status in ERRORS && !hasOwnFields(answer)) return { $ref: `#/components/responses/Error${status}` }
    const schema = schemas.response?.[status] ?? null
    const described = describeAnswer(status, answer, schema, `${operation.summary}.`, components)
    return { ...described, headers: headersOf(headersOfStatus(status, traits)) }
  }
  return {
    ...rest,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(body, ownBody as JsonObject | undefined),
    responses: Object.fromEntries(
      listStatuses(Object.keys(answers), traits).map((status) => [status, describe(status)]),
    ),
  }
}

const headerParametersOf = ({ isIdempotent, isConditional, isResumable, ownHeaders }: Traits): JsonObject[] => [
  ...(isIdempotent ? [IDEMPOTENCY_KEY] : []),
  ...(isConditional ? [IF_NONE_MATCH] : []),
  ...(isResumable ? [LAST_EVENT_ID] : []),
  // Responses that tell the dataset version can be asked for a later one.
  ...(JSON.stringify(ownHeaders).includes(SEEN_VERSION.name as string) ? [SEEN_VERSION] : []),
]

/** The statuses of the route's own responses, and of those that the service adds. In order. */
const listStatuses = (own: readonly string[], { readsBody, isConditional, isIdempotent }: Traits): string[] => {
  const statuses = new Set([
    ...own,
    ...(isConditional ? ['304'] : []),
    ...(readsBody ? ['413', '415'] : []),
    ...(isIdempotent ? ['409', '422'] : []),
  ])
  if (![...statuses].some((status) => status.startsWith('4'))) statuses.add('4XX')
  return [...statuses].sort()
}

const headersOfStatus = (status: string, { isConditional, isIdempotent, ownHeaders }: Traits): HeaderName[] => [
  ...(isConditional && ['200', '304'].includes(status) ? ['ETag' as const] : []),
  ...(isIdempotent && status.startsWith('2') ? ['Idempotent-Replayed' as const] : []),
  ...(status === '302' ? ['Location' as const] : []),
  ...(ERRORS[status]?.headers ?? []),
  // A 304 has the headers of the 200 response (RFC 9110, 15.4.5).
  ...(ownHeaders[status === '304' && isConditional ? '200' : status] ?? []),
]

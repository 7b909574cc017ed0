import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { ParseError, ValidationError } from 'elysia'
import type { Logger } from 'pino'
import { describeTransient, isLockTimeout, isOutage } from '../../../core/postgres/transient-errors'
import { findProblem } from '../../../core/schema/schema-problem'
import { type ErrorCode, ServiceError } from '../../../core/service-error'

export const errorBody = Type.Object(
  {
    error: Type.String({
      description: 'What went wrong. For invalid input, it names the field and the accepted values.',
      examples: ['not found'],
    }),
  },
  {
    component: 'Error',
    description: 'The body of every error.',
    examples: [{ error: 'not found' }],
  },
)
export type ErrorBody = Static<typeof errorBody>

/** An error that the HTTP layer itself raises, for example for a missing key or a malformed request. */
export class HttpError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'HttpError'
    this.status = status
  }
}

/** HTTP status of each expected failure. */
const STATUS: Record<ErrorCode, number> = {
  archive_damaged: 503,
  bad_archive: 500,
  bad_config: 500,
  bad_input: 400,
  blocked: 502,
  build_running: 409,
  build_stopped: 503,
  busy: 503,
  // The caller has disconnected, so only the log and the metrics see this. nginx uses the same status.
  caller_gone: 499,
  cancelled: 502,
  conflict: 409,
  data_dir_in_use: 500,
  disk_full: 503,
  embedded_failed: 500,
  exports_full: 503,
  lead_lost: 503,
  maintenance: 502,
  network: 502,
  not_allowed: 403,
  not_ended: 409,
  not_found: 404,
  not_proved: 409,
  page_changed: 502,
  search_unavailable: 503,
  server_unavailable: 503,
  sign_in_failed: 400,
  throttled: 502,
  timeout: 502,
  too_large: 502,
  too_many_streams: 429,
  vendor_paused: 409,
  wrong_parcel: 502,
}

/** The input schemas of a route, in the order in which they are checked. */
export interface InputSchemas {
  query?: TSchema | undefined
  params?: TSchema | undefined
  body?: TSchema | undefined
}

interface Input {
  query: unknown
  params: unknown
  body?: unknown
}

interface Failure {
  error: unknown
  input: Input
  schemas: InputSchemas
  log: Logger
}

/** The one place where an error becomes a status and a body. Unexpected errors are logged, and the caller sees no details. */
export const toErrorResponse = ({ error, input, schemas, log }: Failure): { status: number; body: ErrorBody } => {
  const cause = error instanceof ParseError && error.cause instanceof Error ? error.cause : error
  if (cause instanceof HttpError) return { status: cause.status, body: { error: cause.message } }
  if (cause instanceof ServiceError && STATUS[cause.code] !== 500) {
    return { status: STATUS[cause.code], body: { error: cause.message } }
  }
  if (cause instanceof ValidationError && cause.type !== 'response') {
    return { status: 400, body: { error: describeProblem(schemas, input) } }
  }
  if (isOutage(cause)) {
    const trouble = describeTransient(cause)
    log.warn({ err: cause }, trouble)
    const reason = isLockTimeout(cause) ? 'this record is locked by another change' : trouble
    return { status: 503, body: { error: `${reason}, try again shortly` } }
  }
  log.error({ err: cause }, 'unexpected error')
  return { status: 500, body: { error: 'internal error' } }
}

/**
 * Checks a body before Elysia does. To build its `ValidationError`, Elysia serializes the whole value, up to 64 of its parts again, and
 * tries every pattern on every string. That costs more than the rest of the request.
 *
 * @throws HttpError 400
 */
export const refuseUnfitBody = (schemas: InputSchemas, input: Input): void => {
  if (schemas.body === undefined || Value.Check(schemas.body, input.body)) return
  throw new HttpError(400, describeProblem(schemas, input))
}

/**
 * Names the first invalid field and what it accepts: `limit must be a whole number from 1 to 5000`.
 * A schema can set its own text: `takes` (follows "must be") or `refusal` (the whole message).
 */
const describeProblem = (schemas: InputSchemas, input: Input): string => {
  for (const part of ['query', 'params', 'body'] as const) {
    const schema = pickBranch(schemas[part], input[part])
    const problem = schema && findProblem(schema, input[part], part === 'body' ? 'body' : '')
    if (problem) return problem
  }
  return 'the request is not valid'
}

/** For a body that may be an object or an array, the schema that matches its type. */
const pickBranch = (schema: TSchema | undefined, value: unknown): TSchema | undefined => {
  const branches: TSchema[] = schema?.anyOf ?? []
  const type = Array.isArray(value) ? 'array' : typeof value === 'object' && value !== null ? 'object' : null
  return branches.find((branch) => branch.type === type) ?? schema
}

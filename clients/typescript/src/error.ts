/** The kind of an error. `network`, `timeout` and `incomplete` are failures of the connection, the others come from responses. */
export type ErrorCode =
  /** 304: the record has not changed since the ETag that you sent in `If-None-Match`. */
  | 'not_modified'
  /** 400: a parameter or a body field is not valid. `field` names it. */
  | 'invalid_request'
  /** 401: the key is missing, unknown or revoked. */
  | 'unauthorized'
  /** 403: the key lacks a capability. */
  | 'forbidden'
  /** 404 */
  | 'not_found'
  /** 409: the current state does not allow it. */
  | 'conflict'
  /** 413 */
  | 'too_large'
  /** 422: this Idempotency-Key was used for a different request. */
  | 'key_reused'
  /** 429: too many streams, waiting requests or sign-in attempts. */
  | 'too_many_requests'
  /** 500 */
  | 'internal_error'
  /** 502, 504: a portal or a proxy failed. */
  | 'bad_gateway'
  /** 503: try again after `retryAfterMs`. */
  | 'unavailable'
  /** No connection, or it broke. */
  | 'network'
  /** No response, or no next part of it, within `timeoutMs`. */
  | 'timeout'
  /** The response ended early, or is not what the API describes. */
  | 'incomplete'
  /** An export or a match failed. `body` is its record. */
  | 'work_failed'
  /** A webhook is too old, or its signature is wrong. */
  | 'invalid_webhook'

const CODES: Readonly<Record<number, ErrorCode>> = {
  304: 'not_modified',
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  422: 'key_reused',
  429: 'too_many_requests',
  500: 'internal_error',
  502: 'bad_gateway',
  503: 'unavailable',
  504: 'bad_gateway',
}

interface ErrorDetails {
  status?: number
  reason?: string
  field?: string | null
  requestId?: string | null
  retryAfterMs?: number | null
  body?: unknown
  cause?: unknown
}

/** Every error of this client, except that an aborted request throws the reason of its signal, as `fetch` does. */
export class ParcelDataError extends Error {
  override readonly name = 'ParcelDataError'
  readonly code: ErrorCode
  /** The HTTP status; null if there was no response. */
  readonly status: number | null
  /** What went wrong, as the service says it. */
  readonly reason: string
  /** The parameter or body field that the service refused; null if it named none. */
  readonly field: string | null
  /** Quote it when you report a problem: it is in the service's log. */
  readonly requestId: string | null
  /** How long to wait before the next attempt. */
  readonly retryAfterMs: number | null
  /** The body of the response, parsed if it is JSON. */
  readonly body: unknown

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status ?? null
    this.reason = details.reason ?? message
    this.field = details.field ?? null
    this.requestId = details.requestId ?? null
    this.retryAfterMs = details.retryAfterMs ?? null
    this.body = details.body ?? null
  }
}

/** Whether the same request may succeed later: the service is down, busy, or cannot be reached. */
export const isTemporary = (error: unknown): error is ParcelDataError =>
  error instanceof ParcelDataError && TEMPORARY.includes(error.code)

const TEMPORARY: readonly ErrorCode[] = ['network', 'timeout', 'too_many_requests', 'bad_gateway', 'unavailable']

/** `limit must be ...`, `source is missing: ...`, `retired needs a narrower filter`, `fields: there is no field ...` */
const NAMED_FIELD = /^([A-Za-z_][\w.[\]-]*)(?: must | is missing| needs |: )/

/** The error for a failed response, whose body is `text`. */
export const errorOf = (
  response: Response,
  request: { method: string; path: string },
  text: string,
): ParcelDataError => {
  const { status, headers } = response
  const body = parseJson(text)
  const reason =
    unchangedOf(response) ?? redirectOf(response) ?? reasonOf(body) ?? (response.statusText || 'no reason given')
  const requestId = headers.get('x-request-id')
  const about = `${request.method} ${request.path}${requestId === null ? '' : `, request ${requestId}`}`
  return new ParcelDataError(
    CODES[status] ?? (status < 500 ? 'invalid_request' : 'internal_error'),
    `${reason} (${status}, ${about})`,
    {
      status,
      reason,
      field: status === 400 ? (NAMED_FIELD.exec(reason)?.[1] ?? null) : null,
      requestId,
      retryAfterMs: readRetryAfter(headers.get('retry-after')),
      body: body ?? text,
    },
  )
}

const unchangedOf = ({ status }: Response): string | undefined =>
  status === 304 ? 'it has not changed since the ETag in If-None-Match' : undefined

/** Browsers hide the status and the target of a redirect. */
const redirectOf = ({ type, status, headers }: Response): string | undefined =>
  type === 'opaqueredirect' || (status >= 300 && status < 400)
    ? `it redirects to ${headers.get('location') ?? 'another address'}: use that as baseUrl`
    : undefined

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const reasonOf = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
    ? body.error
    : undefined

/** Seconds or a date (RFC 9110, 10.2.3). */
const readRetryAfter = (header: string | null): number | null => {
  if (header === null || header.trim() === '') return null
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

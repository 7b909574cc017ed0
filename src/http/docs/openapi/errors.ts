import { type HeaderName, headersOf } from './headers'
import type { JsonObject } from './schema'

/** Error responses: description, example, and headers in addition to those of every response. */
export const ERRORS: Record<string, { description: string; example: string; headers?: HeaderName[] }> = {
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
    headers: ['ETag', 'Accept-Ranges', 'Content-Range'],
  },
  422: {
    description: 'This Idempotency-Key was used for a different request.',
    example: 'this Idempotency-Key was used for a different request: choose a new one',
  },
  429: {
    description:
      'This key or account has too many open streams, waiting requests or dry runs, or too many sign-in attempts came from this IP address.',
    example: 'this key or account already has 10 open streams: close one',
    headers: ['Retry-After'],
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

export const errorResponse = (description: string, example: string, headers: readonly HeaderName[]): JsonObject => ({
  description,
  headers: headersOf(headers),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { error: example } } },
})

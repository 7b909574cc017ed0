import type { JsonObject } from './schema'

/** Response headers. Every response has `X-Request-Id`. */
export const HEADERS = {
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
  Location: {
    description: 'URL to go to next, or of the new record (not in a replayed response).',
    example: '/v1/exports/019b76da-8c00-7000-8000-000000000001',
  },
  Link: {
    description: 'Where the license and attribution of the sources are.',
    example: '<https://parcels.example/v1/sources>; rel="license"',
  },
  'Content-Disposition': {
    description: 'The name of the file.',
    example: 'attachment; filename="parcels.csv"',
  },
  'Content-Range': {
    description: 'Range of the returned bytes, and the total size.',
    example: 'bytes 0-16383/1048576',
  },
  'Accept-Ranges': { description: 'Byte ranges can be requested.', example: 'bytes' },
} as const
export type HeaderName = keyof typeof HEADERS

export const headersOf = (names: readonly HeaderName[]): JsonObject =>
  Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]))

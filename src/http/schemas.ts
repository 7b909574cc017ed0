import { FormatRegistry, type SchemaOptions, type TString, Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { PARCEL_TEXT } from '../../core/parcels/fields'
import { WAIT_REASONS } from '../../drizzle/schema/values'
import { errorBody } from './convention/errors'

/*
 * Schemas that several resources share. Numbers in queries and paths use Elysia's types, because they arrive as text. Bodies use plain
 * TypeBox types.
 *
 * We add four options. For the OpenAPI document (docs/openapi/): `component` names a schema, which then appears once in the document;
 * `byDefault` documents a default, which the route itself applies. For error messages (schema-problem.ts): `takes` and `refusal`.
 */

/** Each digit can match only one part of the pattern. Otherwise a long invalid text would take quadratic time. */
export const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/

// Elysia recognizes numbers in text by these formats. Its own versions accept everything that `Number` accepts ('', spaces, 0x10,
// 1e2), which is too lenient for a query.
FormatRegistry.Set('integer', (text) => /^\d+$/.test(text))
FormatRegistry.Set('numeric', (text) => DECIMAL.test(text))

export const sourceSlug = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[A-Za-z0-9_-]+$',
  component: 'SourceSlug',
  takes: 'the slug of a source: 1 to 100 letters, digits, - or _',
  description: 'Slug of a source.',
  examples: ['sample-county'],
})

export const vendorName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[A-Za-z0-9_-]+$',
  component: 'VendorName',
  takes: 'the name of a vendor: 1 to 100 letters, digits, - or _',
  description: 'Name of a vendor.',
  examples: ['arcgis-rest'],
})

const PARCEL_ID = {
  minLength: 1,
  maxLength: PARCEL_TEXT.source_parcel_id,
  pattern: '^[^\\u0000-\\u001f\\u007f]+$',
  takes: `a source_parcel_id: 1 to ${PARCEL_TEXT.source_parcel_id} characters without control characters`,
  examples: ['12-0345-0670'],
}

/** For bodies and responses. */
export const sourceParcelId = Type.String({
  ...PARCEL_ID,
  component: 'SourceParcelId',
  description: 'Id of the parcel, in the notation of its source.',
})

/** For orders. Portals' pages are compared by letters and digits (adapters/reading/page/expect-parcel.ts), so an id without any has no page. */
const ORDERED_PARCEL_ID = {
  ...PARCEL_ID,
  pattern: '^[^\\u0000-\\u001f\\u007f]*[0-9A-Za-z\\u00c0-\\uffff][^\\u0000-\\u001f\\u007f]*$',
  takes: `${PARCEL_ID.takes}, with at least one letter or digit`,
}

export const orderedParcelId = Type.String({
  ...ORDERED_PARCEL_ID,
  description: 'Id of the parcel, in the notation of its source. It has at least one letter or digit.',
})

/** An example of a page's hash. */
export const PAGE_HASH = '5f2a'.repeat(16)

export const parcelKey = Type.Object({
  source: sourceSlug,
  id: Type.String({
    ...PARCEL_ID,
    description: 'The source_parcel_id, in the notation of its source (percent-encoded).',
  }),
})

export const orderedParcelKey = Type.Object({
  source: sourceSlug,
  id: Type.String({
    ...ORDERED_PARCEL_ID,
    description:
      'The source_parcel_id, in the notation of its source (percent-encoded). It has at least one letter or digit.',
  }),
})

export const timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, always three decimals.',
  examples: ['2026-01-02T03:04:05.678Z'],
})

export const nullable = <Schema extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Number>>(
  schema: Schema,
) => Type.Union([schema, Type.Null()])

export const oneOf = <const Words extends readonly string[]>(words: Words, options: SchemaOptions = {}) =>
  Type.Unsafe<Words[number]>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      options,
    ),
  )

export const UUID_EXAMPLE = '019b76da-8c00-7000-8000-000000000001'
export const uuid = Type.String({ format: 'uuid', examples: [UUID_EXAMPLE] })
export const idOf = (what: string) =>
  Type.String({ format: 'uuid', description: `Id of the ${what}.`, examples: [UUID_EXAMPLE] })

export const at = (description: string) => Type.String({ ...timestamp, description })
export const atOrNull = (description: string) =>
  Type.Union([at(description), Type.Null()], { description, examples: timestamp.examples })

/** Why queued work waits, and until when. */
export const waitFields = {
  waits_for: Type.Union([oneOf(WAIT_REASONS), Type.Null()], {
    description:
      'Why a queued one cannot start now: `retry` (its last attempt failed, or its portal takes no requests for a while), `load` (a load of its source has not ended), `pause` (its vendor is paused), `breaker` (most scrapes of its vendor fail, so one job or crawl a minute may start). Null if it only waits for a worker, or is not queued.',
    examples: ['breaker'],
  }),
  waits_until: atOrNull('When it can start at the earliest; null if it does not wait, or if that is not known.'),
}

export const textOrNull = (description: string, example: string) =>
  nullable(Type.String({ description, examples: [example] }))
export const textOf = (description: string, example: string) => Type.String({ description, examples: [example] })
export const countOf = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })
export const countOrNull = (description: string, example: number) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description, examples: [example] })

/** First field of every list response. */
export const count = Type.Integer({ minimum: 0, description: 'Number of rows in this response.', examples: [1] })

/**
 * Query parameters are open: those that are not in `fields` are ignored. `refused`: the errors for parameters that callers would expect
 * to select something, although they cannot here (listed-parameters.ts).
 */
export const query = <Fields extends Parameters<typeof t.Object>[0]>(
  fields: Fields,
  refused: Readonly<Record<string, string>> = {},
) => t.Object(fields, { additionalProperties: true, refused })

/** Bodies are closed: unknown fields are rejected. */
export const closed = { additionalProperties: false } as const

export const limit = (maximum: number, byDefault?: number) =>
  t.Optional(
    t.Integer({
      minimum: 1,
      maximum,
      description: `Maximum number of rows${byDefault === undefined ? '; all rows if omitted' : ''}.`,
      ...(byDefault === undefined ? {} : { byDefault }),
    }),
  )

/** For reads that leave out retired parcels by default. */
export const include = t.Optional(
  Type.Literal('retired', {
    takes: 'retired',
    description: 'Includes retired parcels: those that their source no longer lists. Each row then has `retired_at`.',
    examples: ['retired'],
  }),
)

/** Cursor of lists that are ordered by a slug or name. */
export const afterName = (name: TString) =>
  t.Optional(Type.String({ ...name, description: '`next` of the previous page.' }))

/** Cursor of paged lists whose rows have a UUID. */
export const after = t.Optional(
  Type.String({
    format: 'uuid',
    takes: 'the `next` of the previous page',
    description: '`next` of the previous page.',
    examples: [UUID_EXAMPLE],
  }),
)
export const next = textOrNull('`after` for the next page; null on the last page.', UUID_EXAMPLE)

/** For lists that return all rows unless a `limit` is given. */
export const nextIfLimited = Type.Optional(
  textOrNull('Only if `limit` is given: `after` for the next page; null on the last page.', 'sample-county'),
)

/** Description of fields that name a person or key (queries/people/account-names.ts). */
export const WHO =
  'the first 8 characters of a key, or an account (its email for admins, a short name like `account 1a2b3c4d5e6f` for others)'

/** The error responses that every route with a key can return. */
export const keyedErrors = { 400: errorBody, 401: errorBody, 403: errorBody, 500: errorBody, 503: errorBody } as const
export const notFound = { 404: errorBody } as const

/** In the `detail` of a GET that supports If-None-Match (conditional.ts). */
export const CONDITIONAL = { 'x-conditional': true } as const

/** In the `detail` of a route with `tellsVersion` (dataset-version.ts). */
export const TELLS_VERSION = { 'x-headers': { 200: ['X-Dataset-Version'] } } as const

/** The `x-headers` of a file whose ranges can be requested (byte-range.ts). The responses with 416 have the same everywhere. */
export const FILE_HEADERS = {
  200: ['ETag', 'Accept-Ranges'],
  206: ['ETag', 'Accept-Ranges', 'Content-Range'],
  304: ['ETag', 'Accept-Ranges'],
} as const

/** For the `responses` of a `detail` that describes one response by hand. The other responses follow their schemas. */
export const describedBySchema = (response: Record<number, unknown>): Record<string, { description: string }> =>
  Object.fromEntries(Object.keys(response).map((status) => [status, { description: '' }]))

/** In the `detail` of a POST that ignores Idempotency-Key (idempotency.ts). */
export const NO_IDEMPOTENCY_KEY = { 'x-idempotency-key': 'ignored' } as const

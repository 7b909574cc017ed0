import { FormatRegistry, type SchemaOptions, type TString, Type } from '@sinclair/typebox'
import { t } from 'elysia'
import { PARCEL_TEXT } from '../../core/parcel-fields'
import { errorBody } from './convention/errors'

/*
 * Pieces that several resources share. Query and path numbers are Elysia's (they come as text); bodies take TypeBox's plain ones.
 *
 * Three options of our own are for the OpenAPI document (openapi.ts): `component` names a schema, which then stands in the document once;
 * `byDefault` is the value of a parameter that is left out, which the route puts in itself; `takes` and `refusal` are for errors
 * (schema-problem.ts).
 */

/** No digit can be taken by two parts of it: else a long text that is no number would take its length squared to refuse. */
export const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/

// By these formats Elysia knows a number in a text. Its own take whatever `Number` does (nothing, spaces, 0x10, 1e2), which is
// no number to whoever writes one into a query.
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
  takes: `a source_parcel_id: 1 to ${PARCEL_TEXT.source_parcel_id} characters, none of them a control character`,
  examples: ['12-0345-0670'],
}

/** In bodies and answers. */
export const sourceParcelId = Type.String({
  ...PARCEL_ID,
  component: 'SourceParcelId',
  description: 'Id of the parcel, as its source writes it.',
})

export const parcelKey = Type.Object({
  source: sourceSlug,
  id: Type.String({ ...PARCEL_ID, description: 'The source_parcel_id, as the source writes it (percent-encoded).' }),
})

export const timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, always three decimals.',
  examples: ['2026-01-02T03:04:05.678Z'],
})

export const nullable = <Schema extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Number>>(
  schema: Schema,
) => Type.Union([schema, Type.Null()])

/** One of a few words. */
export const oneOf = <const Words extends readonly string[]>(words: Words, options: SchemaOptions = {}) =>
  Type.Unsafe<Words[number]>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      options,
    ),
  )

const UUID_EXAMPLE = '019b76da-8c00-7000-8000-000000000001'
export const uuid = Type.String({ format: 'uuid', examples: [UUID_EXAMPLE] })
/** A UUID that is the id of something. */
export const idOf = (what: string) =>
  Type.String({ format: 'uuid', description: `Id of the ${what}.`, examples: [UUID_EXAMPLE] })

/** A moment, and what happened then. */
export const at = (description: string) => Type.String({ ...timestamp, description })
export const atOrNull = (description: string) =>
  Type.Union([at(description), Type.Null()], { description, examples: timestamp.examples })

/** A text that may be missing. */
export const textOrNull = (description: string, example: string) =>
  nullable(Type.String({ description, examples: [example] }))
export const textOf = (description: string, example: string) => Type.String({ description, examples: [example] })
export const countOf = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })
export const countOrNull = (description: string, example: number) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description, examples: [example] })

/** What every list begins with. */
export const count = Type.Integer({ minimum: 0, description: 'How many rows this answer has.', examples: [1] })

/** Query parameters are open: unknown ones are ignored. */
export const query = <Fields extends Parameters<typeof t.Object>[0]>(fields: Fields) =>
  t.Object(fields, { additionalProperties: true })

/** Bodies are closed: unknown fields are refused. */
export const closed = { additionalProperties: false } as const

export const limit = (maximum: number, byDefault?: number) =>
  t.Optional(
    t.Integer({
      minimum: 1,
      maximum,
      description: `At most this many rows${byDefault === undefined ? '; all of them when it is left out' : ''}.`,
      ...(byDefault === undefined ? {} : { byDefault }),
    }),
  )

/** Of lists of what has a slug or a name. */
export const afterName = (name: TString) =>
  t.Optional(Type.String({ ...name, description: 'The `next` of the page before.' }))

/** Of lists that come by pages, and whose rows are told apart by a UUID. */
export const after = t.Optional(
  Type.String({
    format: 'uuid',
    takes: 'the `next` of the page before',
    description: 'The `next` of the page before.',
    examples: [UUID_EXAMPLE],
  }),
)
export const next = textOrNull('The `after` of the next page; null on the last.', UUID_EXAMPLE)

/** Of lists that come whole unless a `limit` is given. */
export const nextIfLimited = Type.Optional(
  textOrNull('Only when `limit` is given: the `after` of the next page, null on the last.', 'sample-county'),
)

/** How people and keys are called where it is said who did something (queries/account-names.ts). */
export const WHO =
  "the first 8 characters of a key, or a person's account: its email for admins, a short name (`account 1a2b3c4d5e6f`) for others"

/** The error answers that every route with a key can give. */
export const keyedErrors = { 400: errorBody, 401: errorBody, 403: errorBody, 500: errorBody, 503: errorBody } as const
export const notFound = { 404: errorBody } as const

/** In the `detail` of a GET that answers 304 to who has the answer already (conditional.ts). */
export const CONDITIONAL = { 'x-conditional': true } as const

/** In the `detail` of a POST that no Idempotency-Key makes a difference to (idempotency.ts). */
export const NO_IDEMPOTENCY_KEY = { 'x-idempotency-key': 'ignored' } as const

import { type Static, Type } from '@sinclair/typebox'
import { SCRAPE_ERROR_CODES } from '../../adapters/scrape-error'

const closed = { additionalProperties: false } as const
const texts = Type.Record(Type.String(), Type.String())

/** One request to a portal and its response; the response body is a file beside `case.json`. */
const exchange = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    url: Type.String({ minLength: 1 }),
    method: Type.Optional(Type.String({ description: 'GET, or POST with `form` or `json`.' })),
    form: Type.Optional(texts),
    json: Type.Optional(Type.Unknown()),
    status: Type.Optional(Type.Integer()),
    headers: Type.Optional(texts),
    file: Type.String({ minLength: 1 }),
    redirectedTo: Type.Optional(Type.String({ minLength: 1, description: 'The URL after all redirects.' })),
    browser: Type.Optional(
      Type.Literal('loads', {
        description:
          'For adapters that need a browser: the page only loads this (a page shell, a script). If absent, the adapter reads it.',
      }),
    ),
  },
  {
    ...closed,
    description:
      '`form` lists the required fields; the sent form may have more. If two exchanges match, the second one answers the repeated request.',
  },
)

/** `case.json`: the target, the portal's responses, and the expected result. */
export const caseSchema = Type.Object(
  {
    about: Type.String({ minLength: 1, description: 'What the case shows.' }),
    target: Type.Object(
      {
        sourceParcelId: Type.String({ minLength: 1 }),
        baseUrl: Type.String({ minLength: 1 }),
        overrides: Type.Optional(Type.Object({}, { additionalProperties: true })),
        storedNumber: Type.Optional(Type.String({ minLength: 1 })),
        validators: Type.Optional(
          Type.Object({ etag: Type.Optional(Type.String()), lastModified: Type.Optional(Type.String()) }),
        ),
      },
      closed,
    ),
    config: Type.Optional(Type.Object({}, { additionalProperties: true })),
    exchanges: Type.Array(exchange, { minItems: 1 }),
    expect: Type.Union([
      Type.Object({ fields: Type.Unknown(), scrape: Type.Unknown() }, closed),
      Type.Object(
        {
          refusal: Type.Union(SCRAPE_ERROR_CODES.map((code) => Type.Literal(code))),
          says: Type.Optional(Type.String({ description: 'Text that the message must contain.' })),
        },
        closed,
      ),
      Type.Object({ notModified: Type.Literal(true) }, closed),
    ]),
    required: Type.Optional(
      Type.Array(
        Type.Union([
          Type.String({ minLength: 1 }),
          Type.Object({ lost: Type.String({ minLength: 1 }), named: Type.String({ minLength: 1 }) }, closed),
        ]),
        {
          description:
            'Labels, headings, table names and JSON fields that the page must have; `named` is their name in the message. Only in the full case.',
        },
      ),
    ),
    derived: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.Union([Type.Number(), Type.String()])), {
        description:
          'Values that the page does not show literally: path → the texts that they are made of. Numbers must add up.',
      }),
    ),
  },
  closed,
)

export type CaseFile = Static<typeof caseSchema>
export type Exchange = Static<typeof exchange>

export interface Case extends CaseFile {
  vendor: string
  /** The folder's name: `full`, `wrong-parcel`. */
  name: string
  folder: string
}

import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const

const label = (words: string, what: string) =>
  Type.Union([Type.String({ minLength: 1 }), Type.Null()], {
    default: words,
    description: `The Basic tab's label for ${what}. Null: the county does not show it.`,
  })

const row = (what: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      description: `The Valuation tab's label for ${what}. If absent, the value is not read.`,
    }),
  )

export const config = Type.Object(
  {
    county: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The county as the portal's URLs write it. Default: the source's county.",
        examples: ['Benton'],
      }),
    ),
    labels: Type.Object(
      {
        owner: label('Ownership Information:', 'the owner'),
        address: label('Property Address:', 'the address of the property'),
        acres: label('Total Acres:', 'the acreage'),
      },
      { ...closed, default: {}, description: 'Labels of the Basic tab, which are not known exactly.' },
    ),
    values: Type.Object(
      { land: row('the land'), improvement: row('the buildings'), total: row('the total') },
      { ...closed, default: {}, description: 'Rows of the Valuation tab, whose labels are not known.' },
    ),
    year_built: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The Improvements tab's label for the year built. If absent, it is not read.",
        examples: ['Year Built:'],
      }),
    ),
  },
  closed,
)

export type Config = Static<typeof config>

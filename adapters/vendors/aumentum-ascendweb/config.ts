import { type Static, Type } from '@sinclair/typebox'

const label = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, description, examples: [example] }))

export const config = Type.Object(
  {
    parcel_id: Type.Union([Type.Literal('account'), Type.Literal('alternate')], {
      default: 'account',
      description: 'What a source_parcel_id is: the account number, or the Alternate Property #.',
    }),
    value_types: Type.Object(
      {
        land: label('Left out: the value of the land is not taken.', 'Real Mkt Land'),
        improvement: label('Left out: the value of improvements is not taken.', 'Real Mkt Bldg'),
        total: label('Left out: the market value is not taken.', 'Real Mkt Total'),
        assessed: label('Left out: the assessed value is not taken.', 'Assessed Value'),
      },
      {
        additionalProperties: false,
        default: { total: 'Real Mkt Total', assessed: 'Assessed Value' },
        description: "The county's names for the rows of the table of values.",
      },
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

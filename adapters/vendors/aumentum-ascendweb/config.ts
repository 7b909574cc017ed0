import { type Static, Type } from '@sinclair/typebox'

const label = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, description, examples: [example] }))

export const config = Type.Object(
  {
    parcel_id: Type.Union([Type.Literal('account'), Type.Literal('alternate')], {
      default: 'account',
      description: 'Which number is the source_parcel_id: the account number, or the Alternate Property #.',
    }),
    value_types: Type.Object(
      {
        land: label('The value of the land. If absent, it is not read.', 'Real Mkt Land'),
        improvement: label('The value of improvements. If absent, it is not read.', 'Real Mkt Bldg'),
        total: label('The market value. If absent, it is not read.', 'Real Mkt Total'),
        assessed: label('The assessed value. If absent, it is not read.', 'Assessed Value'),
        taxable: label('The taxable value. If absent, it is not read.', 'Taxable Value Regular'),
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

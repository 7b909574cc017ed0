import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    parcel_id: Type.Union([Type.Literal('parcel'), Type.Literal('account')], {
      default: 'parcel',
      description:
        'Which number is the source_parcel_id: the parcel number, which requires a search, or the account number.',
    }),
    search_field: Type.String({
      minLength: 1,
      default: 'TaxAParcelID',
      description: "The search form's field for parcel numbers, by the end of its name.",
      examples: ['TaxAccountID'],
    }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

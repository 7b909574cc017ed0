import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    parcel_id: Type.Union([Type.Literal('parcel'), Type.Literal('account')], {
      default: 'parcel',
      description:
        'What a source_parcel_id is: the parcel number, which has to be searched for, or the account number.',
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

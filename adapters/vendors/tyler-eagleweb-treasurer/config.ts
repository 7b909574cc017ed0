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
      description:
        "The search form's field for the source_parcel_id, by the end of its name. To find it, log in as a guest and look at the source of the search page.",
      examples: ['TaxAccountID', 'TaxAccountId'],
    }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

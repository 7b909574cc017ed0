import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    account_page: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The path of the account page, relative to the folder of base_url. Default: Account.aspx in a folder named after the search page.',
        examples: ['PropertyTaxSearch/PropertyTaxProcessing.aspx'],
      }),
    ),
    search_input: Type.String({
      minLength: 1,
      default: '#TabSearch-panel input[title="Account"]',
      description: 'A selector for the search field that takes a parcel number.',
    }),
    search_button: Type.String({
      minLength: 1,
      default: '#TabSearch-panel button',
      description: 'A selector for the search button.',
    }),
    parcel_field: Type.String({
      minLength: 1,
      default: 'Account',
      description: 'The field of the search response that is the source_parcel_id.',
      examples: ['Account', 'PIN'],
    }),
    payments_module: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "The module number (`_m`) of the account page's request for the payment history. If absent, the history is not read.",
        examples: [634],
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

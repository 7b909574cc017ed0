import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    account_page: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The page of an account, from the folder of base_url. Left out: Account.aspx in a folder named as the search page is.',
        examples: ['PropertyTaxSearch/PropertyTaxProcessing.aspx'],
      }),
    ),
    search_input: Type.String({
      minLength: 1,
      default: '#TabSearch-panel input[title="Account"]',
      description: 'A selector of the field of the search page that takes a parcel.',
    }),
    search_button: Type.String({
      minLength: 1,
      default: '#TabSearch-panel button',
      description: 'A selector of the button that searches.',
    }),
    parcel_field: Type.String({
      minLength: 1,
      default: 'Account',
      description: "The field of the search's answer that is the source_parcel_id.",
      examples: ['Account', 'PIN'],
    }),
    payments_module: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'The number (`_m`) with which the account page asks for the history of payments. Left out: it is not read.',
        examples: [634],
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

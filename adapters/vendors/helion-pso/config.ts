import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    parcel_id: Type.Union([Type.Literal('account'), Type.Literal('map-taxlot')], {
      default: 'account',
      description: 'What a source_parcel_id is: the account, or Map and Taxlot, which has to be searched for.',
    }),
    roll_type: Type.String({
      minLength: 1,
      maxLength: 10,
      default: 'R',
      description: "The roll in a detail page's address: R for real property.",
      examples: ['R'],
    }),
    search_option: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The value of the search's option for Map and Taxlot. Needed where parcel_id is map-taxlot.",
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

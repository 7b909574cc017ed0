import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    parcel_id: Type.Union([Type.Literal('account'), Type.Literal('map-taxlot')], {
      default: 'account',
      description: 'Which number is the source_parcel_id: the account, or Map and Taxlot, which requires a search.',
    }),
    roll_type: Type.String({
      minLength: 1,
      maxLength: 10,
      default: 'R',
      description: "The roll in a detail page's URL: R for real property.",
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

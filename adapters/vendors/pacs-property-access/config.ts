import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    cid: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The client id of the county. Default: the one in base_url.',
        examples: [90],
      }),
    ),
    parcel_id: Type.Union([Type.Literal('geographic'), Type.Literal('property')], {
      default: 'geographic',
      description:
        'Which number is the source_parcel_id: the Geographic ID, which requires a search, or the numeric Property ID.',
    }),
    search_type: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The search form's type value for Geographic IDs. Default: the selected one.",
        examples: ['account-number'],
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

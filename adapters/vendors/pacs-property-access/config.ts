import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    cid: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The client id of the county. Left out: the one in base_url.',
        examples: [90],
      }),
    ),
    parcel_id: Type.Union([Type.Literal('geographic'), Type.Literal('property')], {
      default: 'geographic',
      description:
        'What a source_parcel_id is: the Geographic ID, which has to be searched for, or the numeric Property ID.',
    }),
    search_type: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          "The value of the search form's type that searches Geographic IDs. Left out: the one that is chosen.",
        examples: ['account-number'],
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    parcel_id: Type.Union([Type.Literal('parcel'), Type.Literal('account')], {
      default: 'parcel',
      description:
        'What a source_parcel_id is: the parcel number, which has to be searched for, or the account number.',
    }),
    assessed_value: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The label of the amount that counts as assessed. Left out: none does, since Colorado shows one for schools and one for all else.',
        examples: ['Non-School Assessed'],
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

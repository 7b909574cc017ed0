import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    parcel_id: Type.Union([Type.Literal('parcel'), Type.Literal('account')], {
      default: 'parcel',
      description:
        'Which number is the source_parcel_id: the parcel number, which requires a search, or the account number.',
    }),
    assessed_value: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The label of the assessed value. If absent, none is read, because Colorado shows one for schools and one for everything else.',
        examples: ['Non-School Assessed'],
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

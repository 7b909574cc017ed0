import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    parcel_id: Type.Union([Type.Literal('parcel'), Type.Literal('heading')], {
      default: 'parcel',
      description:
        "Where an account's page shows the source_parcel_id: as the link to its parcel, or in a heading (an account number).",
    }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    parcel_id: Type.Union([Type.Literal('account'), Type.Literal('parcel')], {
      default: 'account',
      description:
        "Which number is the source_parcel_id: the account number, which the portal's URLs use; or the Parcel ID, which requires the account number as vendorKey.",
    }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

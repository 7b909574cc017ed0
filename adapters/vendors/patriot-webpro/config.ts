import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    parcel_id: Type.Union([Type.Literal('account'), Type.Literal('parcel')], {
      default: 'account',
      description:
        'What a source_parcel_id is: the account number, which addresses are made of; or the Parcel ID, and then the account number has to be given (vendorKey).',
    }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

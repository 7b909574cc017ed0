import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    tax: Type.Boolean({ default: true, description: 'Whether the county shows taxes, at /tax/{parcel}.' }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

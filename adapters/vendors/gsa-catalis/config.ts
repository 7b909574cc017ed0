import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    tax: Type.Boolean({ default: true, description: 'Whether the county has a tax page at /tax/{parcel}.' }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

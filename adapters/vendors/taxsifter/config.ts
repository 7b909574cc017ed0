import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    land_use_label: Type.String({
      minLength: 1,
      default: 'DOR Code',
      description: "What the county calls the code that tells a parcel's use, above its situs.",
    }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    land_use_label: Type.String({
      minLength: 1,
      default: 'DOR Code',
      description: "The county's label for the land use code, above the situs address.",
    }),
    treasurer: Type.Boolean({
      default: true,
      description: "Whether to request the treasurer's page too, which has the tax of the current year.",
    }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

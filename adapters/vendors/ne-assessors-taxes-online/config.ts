import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    portal: Type.Union([Type.Literal('assessor'), Type.Literal('treasurer')], {
      default: 'assessor',
      description:
        'Which of the two portals base_url belongs to: nebraskaassessorsonline.us, or nebraskataxesonline.us.',
    }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

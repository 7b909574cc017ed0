import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    detail_path: Type.String({
      minLength: 1,
      pattern: '\\{parcel\\}.*\\{year\\}',
      description:
        "The address of a parcel's taxes, seen from the search: {parcel}, its digits, {year}, and the roll after it. As the county's results link to it.",
      examples: ['main/{parcel}/{year}/0000'],
    }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

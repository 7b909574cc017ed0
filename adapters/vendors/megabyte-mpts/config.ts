import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    detail_path: Type.String({
      minLength: 1,
      pattern: '\\{parcel\\}.*\\{year\\}',
      default: 'main/{parcel}/{year}/0000',
      description:
        "The URL of a parcel's taxes, relative to the search: {parcel} is its digits, {year} the tax year, and the roll follows. Copy it from a link in the county's search results.",
      examples: ['main/{parcel}/{year}/0000'],
    }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

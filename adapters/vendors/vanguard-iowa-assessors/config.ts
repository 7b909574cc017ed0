import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const

export const config = Type.Object(
  {
    labels: Type.Object(
      {
        parcel: Type.String({
          minLength: 1,
          default: 'Parcel Number:',
          description: "The page's label for the parcel number, which identifies the page.",
        }),
        mailing: Type.Optional(
          Type.String({
            minLength: 1,
            description: "The page's label for the owner's address. If absent, it is not read.",
            examples: ['Mailing Address:'],
          }),
        ),
        class: Type.Optional(
          Type.String({
            minLength: 1,
            description: "The page's label for the property class. If absent, it is not read.",
            examples: ['Class:'],
          }),
        ),
      },
      { ...closed, default: {}, description: "The county's labels for these values." },
    ),
    residence_columns: Type.Optional(
      Type.Integer({
        minimum: 4,
        maximum: 20,
        description:
          'Number of columns in the list of residences. The 3rd is the year built and the 4th the living area. If absent, they are not read.',
      }),
    ),
  },
  closed,
)

export type Config = Static<typeof config>

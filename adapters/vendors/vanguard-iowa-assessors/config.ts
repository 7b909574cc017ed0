import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const

export const config = Type.Object(
  {
    labels: Type.Object(
      {
        parcel: Type.String({
          minLength: 1,
          default: 'Parcel Number:',
          description: 'What the page calls the parcel number, by which it is known to be the right one.',
        }),
        mailing: Type.Optional(
          Type.String({
            minLength: 1,
            description: "What it calls the owner's address. Left out: it is not read.",
            examples: ['Mailing Address:'],
          }),
        ),
        class: Type.Optional(
          Type.String({
            minLength: 1,
            description: 'What it calls the class of the property. Left out: it is not read.',
            examples: ['Class:'],
          }),
        ),
      },
      { ...closed, default: {}, description: 'Labels that are not established.' },
    ),
    residence_columns: Type.Optional(
      Type.Integer({
        minimum: 4,
        maximum: 20,
        description:
          'How many columns the list of residences has, of which the 3rd is the year of building and the 4th the living area. Left out: these are not read.',
      }),
    ),
  },
  closed,
)

export type Config = Static<typeof config>

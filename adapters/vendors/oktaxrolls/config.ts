import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    county: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The county as the portal's addresses write it. Left out: the one in base_url, or the source's.",
        examples: ['Larkspur'],
      }),
    ),
    search_parameter: Type.String({
      minLength: 1,
      description:
        "The field under which the portal's search by property id sends the id. To be looked up: it is not known.",
      examples: ['property_id'],
    }),
    search_method: Type.Union([Type.Literal('GET'), Type.Literal('POST')], {
      default: 'GET',
      description: 'How the search is sent.',
    }),
    years: Type.Integer({
      minimum: 1,
      maximum: 10,
      default: 1,
      description: 'How many statements are fetched, the newest first: each is a page.',
    }),
    assessed_label: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The row of the table of assessed values whose last cell is the total. Left out: it is not read.',
        examples: ['Total'],
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    county: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The county as the portal's addresses write it. Default: the one in base_url, or the source's.",
        examples: ['Larkspur'],
      }),
    ),
    search_parameter: Type.String({
      minLength: 1,
      description:
        "The name of the field in which the portal's search by property id sends the id. It is not known: look it up.",
      examples: ['property_id'],
    }),
    search_method: Type.Union([Type.Literal('GET'), Type.Literal('POST')], {
      default: 'GET',
      description: 'The HTTP method of the search.',
    }),
    years: Type.Integer({
      minimum: 1,
      maximum: 10,
      default: 1,
      description: 'How many statements to fetch, newest first. Each is one page.',
    }),
    assessed_label: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The row of the assessed values whose last cell is the total. If absent, it is not read.',
        examples: ['Total'],
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

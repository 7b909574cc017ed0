import { type Static, Type } from '@sinclair/typebox'

export const config = Type.Object(
  {
    county: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The county as the portal's URLs write it. Default: the one in base_url, or the source's.",
        examples: ['Larkspur'],
      }),
    ),
    search_parameter: Type.String({
      minLength: 1,
      default: 'property_id',
      description:
        'The name of the field in which the search by property id sends the id. If the portal finds nothing: search in a browser and look at the request "searchResult" in its developer tools.',
      examples: ['property_id'],
    }),
    search_method: Type.Union([Type.Literal('GET'), Type.Literal('POST')], {
      default: 'POST',
      description: 'The HTTP method of the search. GET was seen to work for searches by address.',
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
        description:
          'The row of the assessed values that has the total, in its only cell or below the heading "Net". If absent, it is not read.',
        examples: ['Total'],
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

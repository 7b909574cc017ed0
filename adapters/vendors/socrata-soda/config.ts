import { type Static, Type } from '@sinclair/typebox'
import { agriculturalUses, columnMap, mostRecords } from '../../reading/record-map'

export const config = Type.Object(
  {
    dataset: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9]{4}-[a-z0-9]{4}$',
        takes: 'the id of a data set, as abcd-1234',
        description: 'The id of the data set. Default: the one in base_url.',
        examples: ['abcd-1234'],
      }),
    ),
    columns: columnMap,
    geometry: Type.Optional(
      Type.String({
        pattern: '^[a-z_][a-z0-9_]*$',
        takes: 'the name of a column',
        description: 'The column of the boundary, a Polygon or MultiPolygon.',
        examples: ['the_geom'],
      }),
    ),
    agricultural_land_uses: agriculturalUses,
    max_records: mostRecords,
    where: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'A SoQL condition on the rows; for a data set of several counties.',
        examples: ["county = 'LARKSPUR'"],
      }),
    ),
    app_token: Type.Optional(
      Type.String({
        pattern: '^[\\w-]{8,64}$',
        takes: 'an application token',
        description:
          'Identifies the client (X-App-Token). Without one, portals throttle sooner. It grants no extra access.',
        examples: ['larkspur0example0token000'],
      }),
    ),
    page_size: Type.Integer({
      default: 1000,
      minimum: 1,
      // https://dev.socrata.com/docs/queries/limit.html
      maximum: 50_000,
      description: 'Rows per request of a crawl.',
    }),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

import { type Static, Type } from '@sinclair/typebox'
import { agriculturalUses, columnMap, mostRecords } from '../../reading/record-map'

export const config = Type.Object(
  {
    layer_url: Type.Optional(
      Type.String({
        pattern: '^https?://[^?#]+/\\d+/?$',
        takes: 'the URL of a layer, which ends with its number',
        description: "The layer's URL. Default: base_url.",
        examples: ['https://gis.example/arcgis/rest/services/Parcels/MapServer/0'],
      }),
    ),
    columns: columnMap,
    agricultural_land_uses: agriculturalUses,
    max_records: mostRecords,
    where: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description: 'Only these features, in the words of a where clause; for a layer of several counties.',
        examples: ["COUNTY = 'LARKSPUR'"],
      }),
    ),
    page_size: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          "Features per request of a crawl, at most the layer's own limit. Default: the layer's limit, up to 2,000.",
        examples: [500],
      }),
    ),
    referer: Type.Optional(
      Type.String({
        minLength: 1,
        description: "The map's address, sent as Referer; some layers behind a proxy require it.",
        examples: ['https://map.example/'],
      }),
    ),
  },
  { additionalProperties: false },
)

export type Config = Static<typeof config>

import { type Static, Type } from '@sinclair/typebox'
import type { MultiPolygon } from 'geojson'
import { MAX_AREA_POSITIONS } from '../../../../core/bounds'
import { formatCount } from '../../../../core/text/count-noun'
import { readPolygon } from '../../../parcels/geometry/read-polygon'
import { closed, oneOf } from '../../schemas'

const EXAMPLE = {
  type: 'Polygon',
  coordinates: [
    [
      [-120.5511, 43.8662],
      [-120.5458, 43.8662],
      [-120.5458, 43.872],
      [-120.5511, 43.8662],
    ],
  ],
}

/** A GeoJSON polygon in a body. `component`: its name in the OpenAPI document. */
export const polygonOf = (component: string, description: string) =>
  Type.Object(
    {
      type: oneOf(['Polygon', 'MultiPolygon'], { description: 'Type of the geometry.', examples: ['Polygon'] }),
      coordinates: Type.Array(Type.Unknown(), {
        description: 'Rings of [longitude, latitude] in degrees, EPSG:4326. Holes are respected.',
        examples: [EXAMPLE.coordinates],
      }),
      // Every GeoJSON object may have one (RFC 7946, 5); PostGIS can write it.
      bbox: Type.Optional(
        Type.Array(Type.Number(), {
          minItems: 4,
          maxItems: 6,
          description: 'Bounding box of the geometry. It is ignored.',
          examples: [[-120.5511, 43.8662, -120.5458, 43.872]],
        }),
      ),
    },
    { ...closed, takes: 'a GeoJSON Polygon or MultiPolygon', component, description, examples: [EXAMPLE] },
  )

export const area = polygonOf(
  'Area',
  `A GeoJSON Polygon or MultiPolygon with at most ${formatCount(MAX_AREA_POSITIONS)} positions.`,
)

/** How the boundary of a parcel must relate to an area. */
export const relation = oneOf(['intersects', 'within'], {
  description: '`intersects`: the boundary and the area share a point. `within`: the whole parcel is in the area.',
  byDefault: 'intersects',
  examples: ['within'],
})

/** @throws ServiceError `bad_input`, which calls the area `name` */
export const parseArea = (name: string, given: Static<typeof area>): MultiPolygon =>
  readPolygon(name, given, MAX_AREA_POSITIONS)

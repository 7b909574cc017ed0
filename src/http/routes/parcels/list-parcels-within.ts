import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { MAX_AREA_POSITIONS } from '../../../../core/bounds'
import { readPolygon } from '../../../parcels/read-polygon'
import { authorization } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { errorBody } from '../../convention/errors'
import { parcelFilterFields, parseParcelFilter } from '../../convention/parameters/parcel-filter'
import {
  afterRow,
  pageResponse,
  parseAfter,
  parseRows,
  parseSort,
  rowFields,
  sort,
  total,
} from '../../convention/parcel-rows'
import { datasetVersionHeader } from '../../convention/response/dataset-version'
import type { Deps } from '../../deps'
import { closed, keyedErrors, limit, NO_IDEMPOTENCY_KEY, oneOf, query, TELLS_VERSION } from '../../schemas'
import { parcelPage } from './schemas'

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

const area = Type.Object(
  {
    type: oneOf(['Polygon', 'MultiPolygon'], { description: 'Type of the geometry.', examples: ['Polygon'] }),
    coordinates: Type.Array(Type.Unknown(), {
      description: 'Rings of [longitude, latitude] in degrees, EPSG:4326. Holes are respected.',
      examples: [EXAMPLE.coordinates],
    }),
  },
  {
    ...closed,
    takes: 'a GeoJSON Polygon or MultiPolygon',
    component: 'Area',
    description: `A GeoJSON Polygon or MultiPolygon with at most ${MAX_AREA_POSITIONS.toLocaleString('en-US')} positions.`,
    examples: [EXAMPLE],
  },
)

export const listParcelsWithinRoute = ({ parcelLists, datasetVersion, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(datasetVersionHeader(datasetVersion))
    .post(
      '/parcels/within',
      async ({ query, body, request }) => {
        const filter = parseParcelFilter(query)
        const order = parseSort(query.sort, 'id')
        const wanted = {
          ...{ filter, order, relation: query.relation ?? 'intersects', limit: query.limit ?? 500 },
          ...parseRows(query, filter),
          after: parseAfter(query.after, order),
          area: readPolygon('the area', body, MAX_AREA_POSITIONS),
        }
        const caller = callerOf(request)
        const page = await parcelLists.findInArea(wanted, caller)
        const { area, relation } = wanted
        const place = { area, relation }
        const totals = query.count && (await parcelLists.count({ filter, place, how: query.count }, caller))
        return pageResponse(page, totals ?? null)
      },
      {
        needs: 'read',
        tellsVersion: true,
        query: query({
          relation: t.Optional(
            oneOf(['intersects', 'within'], {
              description:
                '`intersects`: the boundary and the area share a point. `within`: the whole parcel is in the area.',
              byDefault: 'intersects',
              examples: ['within'],
            }),
          ),
          ...parcelFilterFields,
          ...rowFields,
          sort,
          count: total,
          limit: limit(5000, 500),
          after: afterRow,
        }),
        body: area,
        response: { 200: parcelPage, ...keyedErrors, 413: errorBody, 415: errorBody },
        detail: {
          ...TELLS_VERSION,
          ...NO_IDEMPOTENCY_KEY,
          tags: ['parcels'],
          summary: 'List parcels in an area',
          description:
            'The body is a GeoJSON Polygon or MultiPolygon. Returns the parcels whose boundary meets it, or that are within it. For the next page, send the same body with `after`. There is no limit to the size of the area.',
          operationId: 'listParcelsWithin',
        },
      },
    )

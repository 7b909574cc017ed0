import { Elysia, t } from 'elysia'
import { authorization } from '../../callers/auth'
import { onlyReads } from '../../callers/note-writes'
import { pollerOf } from '../../callers/poller-of'
import { errorBody } from '../../convention/errors'
import { area, parseArea, relation } from '../../convention/parameters/area'
import { parcelFilterFields, parseParcelFilter } from '../../convention/parameters/parcel-filter'
import { refusePlaces } from '../../convention/parameters/parse-place'
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
import { keyedErrors, limit, NO_IDEMPOTENCY_KEY, query, TELLS_VERSION } from '../../schemas'
import { parcelPage } from './schemas'

export const listParcelsWithinRoute = ({ sql, parcelLists, datasetVersion, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(datasetVersionHeader(datasetVersion))
    .post(
      '/parcels/within',
      async ({ query, body, request }) => {
        const filter = parseParcelFilter(query)
        const order = parseSort(query.sort, 'id')
        const wanted = {
          filter,
          order,
          relation: query.relation ?? 'intersects',
          limit: query.limit ?? 500,
          ...parseRows(query, filter),
          after: parseAfter(query.after, order),
          area: parseArea('the area', body),
        }
        onlyReads(request)
        const { caller, completeUntil } = await pollerOf(sql, request, query)
        const page = await parcelLists.findInArea(wanted, caller)
        const place = { area: wanted.area, relation: wanted.relation }
        const counted = query.count && (await parcelLists.count({ filter, place, how: query.count }, caller))
        return pageResponse(page, { counted, completeUntil })
      },
      {
        needs: 'read',
        tellsVersion: true,
        query: query(
          {
            relation: t.Optional(relation),
            ...parcelFilterFields,
            ...rowFields,
            sort,
            count: total,
            limit: limit(5000, 500),
            after: afterRow,
          },
          refusePlaces('the area', 'bbox', 'at', 'near', 'within', 'as_of'),
        ),
        body: area,
        response: { 200: parcelPage, ...keyedErrors, 413: errorBody, 415: errorBody },
        detail: {
          ...TELLS_VERSION,
          ...NO_IDEMPOTENCY_KEY,
          tags: ['parcels'],
          summary: 'List parcels in an area',
          description:
            'The body is a GeoJSON Polygon or MultiPolygon. Returns the parcels whose boundary (or point, if the boundary is unknown) intersects the area; with `relation=within`, only those that are entirely inside. For the next page, send the same body with `after`. A page of a thin area can have fewer parcels than `limit`, or none, before the last page. There is no limit to the size of the area. `bbox`, `at`, `near`, `within` and `as_of` are refused.',
          operationId: 'listParcelsWithin',
        },
      },
    )

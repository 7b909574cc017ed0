import { Elysia } from 'elysia'
import { MAX_NEIGHBOR_M } from '../../../parcels/neighbors'
import { authorization } from '../../callers/auth'
import { pollerOf } from '../../callers/poller-of'
import { HttpError } from '../../convention/errors'
import { parcelFilterFields, parseParcelFilter } from '../../convention/parameters/parcel-filter'
import { distance, parseDistance, refusePlaces } from '../../convention/parameters/parse-place'
import { afterRow, pageResponse, parseAfterRanked, parseRows, rowFields } from '../../convention/parcel-rows'
import { datasetVersionHeader } from '../../convention/response/dataset-version'
import type { Deps } from '../../deps'
import { keyedErrors, limit, notFound, parcelKey, query, TELLS_VERSION } from '../../schemas'
import { parcelPage } from './schemas'

/** `source` is already in the path: the parcel's source. */
const { source: _, ...conditions } = parcelFilterFields

export const listNeighborsRoute = ({ sql, parcelLists, datasetVersion, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(datasetVersionHeader(datasetVersion))
    .get(
      '/parcels/:source/:id/neighbors',
      async ({ params, query, request }) => {
        const filter = parseParcelFilter(query)
        const wanted = {
          ...params,
          ...parseRows(query, filter),
          filter,
          withinM: query.within === undefined ? null : parseDistance('within', query.within, MAX_NEIGHBOR_M),
          limit: query.limit ?? 500,
          after: parseAfterRanked(query.after),
        }
        const { caller, completeUntil } = await pollerOf(sql, request, query)
        const page = await parcelLists.findNeighbors(wanted, caller)
        if (page === null) throw new HttpError(404, 'not found')
        return pageResponse(page, { completeUntil })
      },
      {
        needs: 'read',
        tellsVersion: true,
        params: parcelKey,
        query: query(
          {
            within: distance(
              'Parcels that are at most this far away, up to 1 km, instead of those that share an edge.',
            ),
            ...conditions,
            ...rowFields,
            limit: limit(5000, 500),
            after: afterRow,
          },
          refusePlaces('the parcel', 'bbox', 'at', 'near', 'as_of', 'source'),
        ),
        response: { 200: parcelPage, ...keyedErrors, ...notFound },
        detail: {
          ...TELLS_VERSION,
          tags: ['parcels'],
          summary: 'List the neighbors of a parcel',
          description:
            'Lists the parcels of any source that share an edge with this one. With `within`, lists the parcels within that distance instead. The nearest come first. Each row has `distance_m`, and `shared_edge_m`, the length of the common border. Borders that are within ten centimeters of each other count as common. A parcel without a boundary has no neighbors. `bbox`, `at`, `near`, `as_of` and a second `source` are refused.',
          operationId: 'listNeighbors',
        },
      },
    )

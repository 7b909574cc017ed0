import type { Static } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { Caller } from '../../../../core/concurrency/fair-turns'
import type { ParcelFilter } from '../../../../core/parcels/filter'
import type { CountWanted } from '../../../parcels/count-parcels'
import type { EncodedPage, ParcelPage } from '../../../parcels/list-parcels'
import type { ParcelLists } from '../../../parcels/parcel-lists'
import { authorization } from '../../callers/auth'
import { pollerOf } from '../../callers/poller-of'
import { HttpError } from '../../convention/errors'
import {
  isNarrow,
  isUnconditional,
  needsNarrower,
  parcelFilterFields,
  parseParcelFilter,
  refuseUnindexed,
} from '../../convention/parameters/parcel-filter'
import { bbox, missingBbox } from '../../convention/parameters/parse-bbox'
import { DISTANCE, distance, parseDistance, parsePoint, point } from '../../convention/parameters/parse-place'
import { parseTime, time } from '../../convention/parameters/parse-time'
import {
  afterRow,
  pageResponse,
  parseAfter,
  parseAfterRanked,
  parseRows,
  parseSort,
  rowFields,
  sort,
  total,
} from '../../convention/parcel-rows'
import { datasetVersionHeader } from '../../convention/response/dataset-version'
import type { Deps } from '../../deps'
import { keyedErrors, limit, query, TELLS_VERSION } from '../../schemas'
import { parcelPage } from './schemas'

const listQuery = query({
  bbox: t.Optional(bbox),
  at: point('Parcels whose boundary contains this point, the smallest first, because lots can be stacked.'),
  near: point('Parcels near this point, the nearest first, with `distance_m`. Needs `within`.'),
  within: distance('With `near`: how far away a boundary may be.'),
  ...parcelFilterFields,
  ...rowFields,
  sort,
  count: total,
  limit: limit(5000, 500),
  after: afterRow,
  as_of: time(
    'The parcels that were in the box then, with their values at that time. Only with `bbox`, `source`, `include`, `limit` and `after`.',
  ),
})
type ListQuery = Static<typeof listQuery>

export const listParcelsRoute = ({ sql, parcelLists, datasetVersion, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(datasetVersionHeader(datasetVersion))
    .get(
      '/parcels',
      async ({ query, request }) => {
        const { caller, completeUntil } = await pollerOf(sql, request, query)
        const page = await findPage(parcelLists, query, caller)
        const counted = query.count && (await parcelLists.count(toCount(query, query.count), caller))
        return pageResponse(page, { counted, completeUntil })
      },
      {
        needs: 'read',
        tellsVersion: true,
        query: listQuery,
        response: { 200: parcelPage, ...keyedErrors },
        detail: {
          ...TELLS_VERSION,
          tags: ['parcels'],
          summary: 'List parcels by place or filter',
          description:
            'Returns the parcels that meet every filter, with their main fields or those of `fields`. A place is `bbox`, `at`, or `near` with `within`; boundaries are compared, not boxes. A parcel whose boundary is unknown is found at its point, if it has one, except by `at`. With `bbox`, returns parcels whose boundary intersects the box. A place or a filter is required. Use `after` to get the next page. A filter or order that has no index is refused unless a narrower filter is added; the error says which. With `as_of`, returns what the service knew then, including parcels whose boundary has moved or that were retired later.',
          operationId: 'listParcels',
        },
      },
    )

/** @throws HttpError 400, ServiceError */
const findPage = (lists: ParcelLists, query: ListQuery, caller: Caller): Promise<ParcelPage | EncodedPage> => {
  refuseTogether(query)
  const filter = parseParcelFilter(query)
  const page = { filter, limit: query.limit ?? 500, ...parseRows(query, filter) }
  if (query.at !== undefined) {
    return lists.findAt({ ...page, at: parsePoint('at', query.at), after: parseAfterRanked(query.after) }, caller)
  }
  if (query.near !== undefined) {
    if (query.within === undefined) throw new HttpError(400, `within is missing: with near, it must be ${DISTANCE}`)
    const [near, withinM] = [parsePoint('near', query.near), parseDistance('within', query.within)]
    return lists.findNear({ ...page, near, withinM, after: parseAfterRanked(query.after) }, caller)
  }
  if (isUnconditional(filter)) throw missingBbox()
  refuseUnindexed(filter)
  const order = parseOrder(query, filter)
  const asOf = query.as_of === undefined ? null : parseAsOf(query)
  const wanted = { ...page, order, after: parseAfter(query.after, order) }
  return page.geometry === 'none' && asOf === null
    ? lists.findEncoded(wanted, caller)
    : lists.find({ ...wanted, asOf }, caller)
}

/** @throws HttpError 400 */
const toCount = (query: ListQuery, how: CountWanted['how']): CountWanted => {
  const filter = parseParcelFilter(query)
  if (query.at !== undefined) return { filter, how, place: { at: parsePoint('at', query.at) } }
  if (query.near === undefined || query.within === undefined) return { filter, how, place: null }
  const [near, withinM] = [parsePoint('near', query.near), parseDistance('within', query.within)]
  return { filter, how, place: { near, withinM } }
}

/** Parameters that exclude others. */
const EXCLUDED: readonly [parameter: keyof ListQuery, others: readonly (keyof ListQuery)[]][] = [
  ['at', ['bbox', 'near', 'within', 'sort', 'as_of']],
  ['near', ['bbox', 'sort', 'as_of']],
]

/** @throws HttpError 400 */
const refuseTogether = (query: ListQuery): void => {
  for (const [parameter, others] of EXCLUDED) {
    const other = query[parameter] === undefined ? undefined : others.find((name) => query[name] !== undefined)
    if (other !== undefined) throw new HttpError(400, `${parameter} cannot be combined with ${other}`)
  }
  if (query.within !== undefined && query.near === undefined) throw new HttpError(400, 'within needs near')
}

/** @throws HttpError 400 */
const parseOrder = (query: ListQuery, filter: ParcelFilter) => {
  const order = parseSort(query.sort, filter.bbox === null ? 'parcel' : 'id')
  if (typeof order !== 'string' && !isNarrow(filter)) throw needsNarrower(`sort=${query.sort}`)
  return order
}

/** The parameters that a list of former parcels accepts. */
const AS_OF_TAKES = ['as_of', 'bbox', 'source', 'include', 'limit', 'after']

/** @throws HttpError 400 */
const parseAsOf = (query: ListQuery): string => {
  const names = Object.keys(listQuery.properties) as (keyof ListQuery)[]
  const other = names.find((name) => !AS_OF_TAKES.includes(name) && query[name] !== undefined)
  if (other !== undefined) throw new HttpError(400, `as_of cannot be combined with ${other}`)
  if (query.bbox === undefined) throw new HttpError(400, 'as_of needs bbox')
  return parseTime('as_of', query.as_of ?? '')
}

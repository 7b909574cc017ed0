import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { type ParcelPageWanted, toRowJson } from '../../../parcels/list-parcels'
import { readCursor } from '../../../parcels/parcel-cursor'
import { authorization } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { datasetVersionHeader } from '../../convention/dataset-version'
import { HttpError } from '../../convention/errors'
import { listResponse } from '../../convention/json'
import {
  isNarrow,
  isUnconditional,
  needsNarrower,
  type ParcelFilterQuery,
  parcelFilterFields,
  parseParcelFilter,
  refuseUnindexed,
} from '../../convention/parcel-filter'
import { afterRow, parseFields, parseSort, rowFields, sort } from '../../convention/parcel-rows'
import { bbox, missingBbox } from '../../convention/parse-bbox'
import { parseTime, time } from '../../convention/parse-time'
import type { Deps } from '../../deps'
import { count, keyedErrors, limit, next, query, TELLS_VERSION } from '../../schemas'
import { parcelRow } from './schemas'

const parcelPage = Type.Object({
  count,
  parcels: Type.Array(parcelRow, { description: 'Ordered by `sort`.' }),
  next,
})

const listQuery = query({
  bbox: t.Optional(bbox),
  ...parcelFilterFields,
  ...rowFields,
  sort,
  limit: limit(5000, 500),
  after: afterRow,
  as_of: time(
    'The parcels that were in the box then, with their values of that time. Only with `bbox`, `source`, `include`, `limit` and `after`.',
  ),
})

export const listParcelsRoute = ({ parcelLists, datasetVersion, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(datasetVersionHeader(datasetVersion))
    .get(
      '/parcels',
      async ({ query, request }) => {
        const { parcels, next } = await parcelLists.find(parseList(query), callerOf(request))
        return listResponse('parcels', parcels.map(toRowJson), next)
      },
      {
        needs: 'read',
        tellsVersion: true,
        query: listQuery,
        response: { 200: parcelPage, ...keyedErrors },
        detail: {
          ...TELLS_VERSION,
          tags: ['parcels'],
          summary: 'List parcels',
          description:
            'Returns the parcels that meet every filter, with their main fields or those of `fields`. With `bbox`, returns parcels whose boundary intersects the box. At least one filter or `bbox` is required. Use `after` to get the next page. A filter or order that no index serves is refused until a narrower filter is added; the error says which. With `as_of`, returns what the service knew then, including parcels whose boundary has moved or that were retired later.',
          operationId: 'listParcels',
        },
      },
    )

/** @throws HttpError 400 */
const parseList = (query: Static<typeof listQuery>): ParcelPageWanted => {
  const filter = parseParcelFilter(query)
  if (isUnconditional(filter)) throw missingBbox()
  refuseUnindexed(filter)
  const order = parseSort(query.sort, filter.bbox === null ? 'parcel' : 'id')
  if (typeof order !== 'string' && !isNarrow(filter)) throw needsNarrower(`sort=${query.sort}`)
  const after = query.after === undefined ? null : readCursor(order, query.after)
  if (query.after !== undefined && after === null)
    throw new HttpError(400, 'after must be the `next` of the previous page')
  const fields = parseFields(query.fields)
  return {
    filter,
    fields: filter.lifecycle === 'listed' ? fields : [...fields, 'retired_at'],
    geometry: query.geometry ?? 'none',
    order,
    after,
    limit: query.limit ?? 500,
    asOf: query.as_of === undefined ? null : parseAsOf(query),
  }
}

/** What a list of former parcels takes. */
const AS_OF_TAKES = ['as_of', 'bbox', 'source', 'include', 'limit', 'after']

/** @throws HttpError 400 */
const parseAsOf = (query: ParcelFilterQuery & { as_of?: string | undefined }): string => {
  const other = Object.keys(listQuery.properties).find(
    (name) => !AS_OF_TAKES.includes(name) && query[name as keyof typeof query] !== undefined,
  )
  if (other !== undefined) throw new HttpError(400, `as_of cannot be combined with ${other}`)
  if (query.bbox === undefined) throw new HttpError(400, 'as_of needs bbox')
  return parseTime('as_of', query.as_of ?? '')
}

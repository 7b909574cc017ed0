import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { authorization } from '../../callers/auth'
import { callerOf } from '../../callers/caller-of'
import { datasetVersionHeader } from '../../convention/dataset-version'
import { jsonResponse } from '../../convention/json'
import { bbox, parseBbox } from '../../convention/parse-bbox'
import { parseTime, time } from '../../convention/parse-time'
import type { Deps } from '../../deps'
import {
  after,
  atOrNull,
  closed,
  count,
  idOf,
  include,
  keyedErrors,
  limit,
  next,
  query,
  sourceParcelId,
  sourceSlug,
  TELLS_VERSION,
} from '../../schemas'
import { parcelFieldSchemas } from './field-schemas'

const parcelRow = Type.Object(
  {
    id: idOf('record'),
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    owner_name: parcelFieldSchemas.owner_name,
    situs_address: parcelFieldSchemas.situs_address,
    assessed_value: parcelFieldSchemas.assessed_value,
    land_use_class: parcelFieldSchemas.land_use_class,
    retired_at: Type.Optional(
      atOrNull('Only with include=retired: when the source stopped listing the parcel; null if it lists it.'),
    ),
  },
  { ...closed, component: 'ParcelRow', description: 'A parcel with its main fields.' },
)

const parcelPage = Type.Object({
  count,
  parcels: Type.Array(parcelRow, { description: 'Ordered by id.' }),
  next,
})

export const listParcelsRoute = ({ parcelBoxes, datasetVersion, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(datasetVersionHeader(datasetVersion))
    .get(
      '/parcels',
      async ({ query: { bbox, source, limit = 500, after, include, as_of }, request }) => {
        const asOf = as_of === undefined ? null : parseTime('as_of', as_of)
        const page = { asOf, source: source ?? null, after: after ?? null, limit, withRetired: include === 'retired' }
        const { count, rows, next } = await parcelBoxes.find(parseBbox(bbox), page, callerOf(request))
        return jsonResponse(`{"count":${count},"parcels":[${rows}],"next":${JSON.stringify(next)}}`)
      },
      {
        needs: 'read',
        tellsVersion: true,
        query: query({
          bbox,
          source: t.Optional(sourceSlug),
          limit: limit(5000, 500),
          after,
          include,
          as_of: time('The parcels that were in the box then, with their values of that time.'),
        }),
        response: { 200: parcelPage, ...keyedErrors },
        detail: {
          ...TELLS_VERSION,
          tags: ['parcels'],
          summary: 'List parcels in a bounding box',
          description:
            'Returns parcels whose boundary intersects the box, with their main fields. Get a single parcel for all its fields. Use `after` to get the next page. With `as_of`, returns what the service knew then, including parcels whose boundary has moved or that were retired later.',
          operationId: 'listParcels',
        },
      },
    )

import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import { listHistory } from '../../../../drizzle/queries/changes/list-history'
import { findParcelId } from '../../../../drizzle/queries/parcels/parcels'
import { authorization } from '../../callers/auth'
import { readerOf } from '../../callers/caller-of'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import { datasetVersionHeader } from '../../convention/response/dataset-version'
import type { Deps } from '../../deps'
import { count, countOrNull, keyedErrors, limit, notFound, parcelKey, query, TELLS_VERSION } from '../../schemas'
import { change } from '../changes/schemas'

const history = Type.Object({
  count,
  changes: Type.Array(change, { description: 'Newest first.' }),
  next: countOrNull('`after` for the next page; null on the last page.', 70_412),
})

export const listHistoryRoute = ({ reads, datasetVersion, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(datasetVersionHeader(datasetVersion))
    .get(
      '/parcels/:source/:id/history',
      async ({ params, query: { after = null, limit = 100 }, request }) => {
        const { bodies, next } = await reads.run(readerOf(request), async (db) => {
          const id = await findParcelId(db, params)
          if (id === null) throw new HttpError(404, 'not found')
          return listHistory(db, id, { after, limit })
        })
        return jsonResponse(`{"count":${bodies.length},"changes":[${bodies}],"next":${next}}`)
      },
      {
        needs: 'read',
        tellsVersion: true,
        params: parcelKey,
        query: query({
          after: t.Optional(
            t.Integer({
              minimum: 0,
              maximum: Number.MAX_SAFE_INTEGER,
              description: '`next` of the previous page.',
              examples: [70_412],
            }),
          ),
          limit: limit(500, 100),
        }),
        response: { 200: history, ...keyedErrors, ...notFound },
        detail: {
          ...TELLS_VERSION,
          tags: ['parcels'],
          summary: 'List the changes of a parcel, newest first',
          description:
            'All changes since the service first knew the parcel, with former and new values, the cause, and where the new values are from. Pages with very large changes have fewer than `limit`.',
          operationId: 'listParcelHistory',
        },
      },
    )

import { Elysia } from 'elysia'
import type { Db } from '../../../../core/postgres/database'
import { findFormerParcel } from '../../../../drizzle/queries/changes/find-former-parcel'
import { readParcel } from '../../../parcels/read-parcel'
import { authorization } from '../../callers/auth'
import { readerOf } from '../../callers/caller-of'
import { HttpError } from '../../convention/errors'
import { parseTime, time } from '../../convention/parameters/parse-time'
import { conditionalJson } from '../../convention/response/conditional'
import { datasetVersionHeader } from '../../convention/response/dataset-version'
import type { Deps } from '../../deps'
import { CONDITIONAL, keyedErrors, notFound, parcelKey, query, TELLS_VERSION } from '../../schemas'
import { parcel } from './schemas'

export const getParcelRoute = ({ reads, datasetVersion, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(datasetVersionHeader(datasetVersion))
    .get(
      '/parcels/:source/:id',
      async ({ params, query: { as_of }, request }) => {
        const body = await reads.run(readerOf(request), (db) =>
          as_of === undefined ? readParcel(db, params) : getFormerParcel(db, params, parseTime('as_of', as_of)),
        )
        if (body === null) throw new HttpError(404, 'not found')
        return conditionalJson(request, body)
      },
      {
        needs: 'read',
        tellsVersion: true,
        params: parcelKey,
        query: query({ as_of: time('The record as the service knew it then.') }),
        response: { 200: parcel, ...keyedErrors, ...notFound },
        detail: {
          ...CONDITIONAL,
          ...TELLS_VERSION,
          tags: ['parcels'],
          summary: 'Get one parcel with all fields',
          description:
            'Returns the stored record, also of a retired parcel. To fetch it from the portal, use `scrape-now`. With `as_of`, returns what the service knew then. If the parcel was first known later, the 404 says when.',
          operationId: 'getParcel',
        },
      },
    )

/** @throws HttpError 404 for a parcel that was not known yet */
const getFormerParcel = async (db: Db, key: { source: string; id: string }, asOf: string): Promise<string | null> => {
  const former = await findFormerParcel(db, key, asOf)
  if (former !== null && former.body === null) {
    throw new HttpError(404, `not known at ${asOf}: first known at ${former.firstKnownAt}`)
  }
  return former?.body ?? null
}

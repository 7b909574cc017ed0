import { Elysia } from 'elysia'
import { findParcelJson } from '../../../../drizzle/queries/parcels/parcels'
import { authorization } from '../../callers/auth'
import { conditionalJson } from '../../convention/conditional'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { CONDITIONAL, keyedErrors, notFound, parcelKey } from '../../schemas'
import { parcel } from './schemas'

export const getParcelRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/parcels/:source/:id',
    async ({ params, request }) => {
      const body = await findParcelJson(sql, params)
      if (body === null) throw new HttpError(404, 'not found')
      return conditionalJson(request, body)
    },
    {
      needs: 'read',
      params: parcelKey,
      response: { 200: parcel, ...keyedErrors, ...notFound },
      detail: {
        ...CONDITIONAL,
        tags: ['parcels'],
        summary: 'Get one parcel with all fields',
        description:
          'Returns the stored record, also of a retired parcel. To fetch it from the portal, use `scrape-now`.',
        operationId: 'getParcel',
      },
    },
  )

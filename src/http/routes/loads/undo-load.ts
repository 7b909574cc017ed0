import { Elysia } from 'elysia'
import { undoCause } from '../../../orders/order-on-load'
import { authorization } from '../../callers/auth'
import { requesterOf } from '../../callers/requester-of'
import { errorBody } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import { jsonResponse } from '../../convention/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { loadKey, orderedWork } from './schemas'

export const undoLoadRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/:id/undo',
      ({ params: { id }, request, once }) =>
        once(async (tx) => {
          const workId = await undoCause(tx, id, requesterOf(request).name)
          return jsonResponse(JSON.stringify({ work_id: workId }), { status: 202 })
        }),
      {
        needs: 'admin',
        idempotent: true,
        params: loadKey,
        response: { 202: orderedWork, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['loads'],
          summary: 'Undo a load, a crawl or a scrape job',
          description:
            'Gives every field that it changed its former value again, as new changes. Parcels that it created are retired, and parcels that it retired return. A field that was changed again later keeps its value: the result of the work counts and names these. `id` can also be that of a crawl or a scrape job. 409: the load is not applied, or another load or a crawl of its source is running.',
          operationId: 'undoLoad',
        },
      },
    )

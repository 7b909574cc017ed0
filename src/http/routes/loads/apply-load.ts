import { Elysia } from 'elysia'
import { applyHeldLoad } from '../../../orders/order-on-load'
import { authorization } from '../../callers/auth'
import { requesterOf } from '../../callers/requester-of'
import { errorBody } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import { jsonResponse } from '../../convention/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { loadKey, orderedWork } from './schemas'

export const applyLoadRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/:id/apply',
      ({ params: { id }, request, once }) =>
        once(async (tx) => {
          const workId = await applyHeldLoad(tx, id, requesterOf(request).name)
          return jsonResponse(JSON.stringify({ work_id: workId }), { status: 202 })
        }),
      {
        needs: 'admin',
        idempotent: true,
        params: loadKey,
        response: { 202: orderedWork, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['loads'],
          summary: 'Apply a held load',
          description:
            'A worker applies it. A load that failed while it was applied can be applied again. 409: the load is not held, or another load or a crawl of its source is running.',
          operationId: 'applyLoad',
        },
      },
    )

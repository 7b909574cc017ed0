import { Elysia } from 'elysia'
import { isUuid } from '../../../../core/text/uuid'
import { findDelivery } from '../../../../drizzle/queries/watches/deliveries'
import { replayWatchDelivery } from '../../../watches/change-watch'
import { authorization } from '../../callers/auth'
import { findOwned } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { delivery, deliveryKey } from './schemas'

export const replayDeliveryRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/watches/:id/deliveries/:delivery/replay',
      ({ params, request, once }) =>
        once(async (tx) => {
          const body = await findOwned(request, params.id, async (owner) => {
            const isKnown = isUuid(params.delivery) && (await replayWatchDelivery(tx, owner, params))
            return isKnown && findDelivery(tx, params.delivery)
          })
          return jsonResponse(body, { status: 202 })
        }),
      {
        needs: 'read',
        idempotent: true,
        params: deliveryKey,
        response: { 202: delivery, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['watches'],
          summary: 'Send a delivery again',
          description:
            'It is sent soon, with the same `webhook-id`, and retried for 3 days from now. Returns 409 if it is still queued, or if the watch has no webhook or is not active.',
          operationId: 'replayWatchDelivery',
        },
      },
    )

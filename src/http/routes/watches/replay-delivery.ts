import { Elysia } from 'elysia'
import { findDelivery } from '../../../../drizzle/queries/watches/deliveries'
import { isUuid } from '../../../parcels/is-uuid'
import { replayWatchDelivery } from '../../../watches/change-watch'
import { authorization, principalOf } from '../../callers/auth'
import { ownerOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody, HttpError } from '../../convention/errors'
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
          const owner = ownerOf(principalOf(request))
          const isKnown = isUuid(params.id) && isUuid(params.delivery) && (await replayWatchDelivery(tx, owner, params))
          const body = isKnown ? await findDelivery(tx, params.delivery) : null
          if (body === null) throw new HttpError(404, 'not found')
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

import { Elysia } from 'elysia'
import { findDelivery } from '../../../../drizzle/queries/watches/deliveries'
import { testWatch } from '../../../watches/change-watch'
import { authorization } from '../../callers/auth'
import { findOwned } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { delivery, watchKey } from './schemas'

export const testWatchRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/watches/:id/test',
      ({ params: { id }, request, once }) =>
        once(async (tx) => {
          const body = await findOwned(request, id, async (owner) => {
            const sent = await testWatch(tx, owner, id)
            return sent && findDelivery(tx, sent)
          })
          return jsonResponse(body, { status: 202 })
        }),
      {
        needs: 'read',
        idempotent: true,
        params: watchKey,
        response: { 202: delivery, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['watches'],
          summary: 'Test the webhook of a watch',
          description:
            'Sends a signed request with the type `watch.test` soon, and retries it like a change. Its result is in the log of the watch. Returns 409 if the watch has no webhook or is not active.',
          operationId: 'testWatch',
        },
      },
    )

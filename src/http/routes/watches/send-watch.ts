import { Elysia } from 'elysia'
import { findWatch } from '../../../../drizzle/queries/watches/watches'
import { sendWatchNow } from '../../../watches/change-watch'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { findOwned } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { watchKey, watchWithPolygon } from './schemas'

export const sendWatchRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/watches/:id/send',
      ({ params: { id }, request, once }) =>
        once(async (tx) => {
          const body = await findOwned(
            request,
            id,
            async (owner) => (await sendWatchNow(tx, owner, id)) && findWatch(tx, owner, id),
          )
          return jsonResponse(await namedFor(tx, request, body), { status: 202 })
        }),
      {
        needs: 'read',
        idempotent: true,
        params: watchKey,
        response: { 202: watchWithPolygon, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['watches'],
          summary: 'Send the pending changes of a watch now',
          description:
            'Use this after a receiver was repaired: changes that wait for a retry are sent soon, and a pause of the watch ends. Returns 409 if the watch has no webhook or is not active.',
          operationId: 'sendWatch',
        },
      },
    )

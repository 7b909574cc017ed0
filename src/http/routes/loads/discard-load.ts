import { Elysia } from 'elysia'
import { discardLoad } from '../../../orders/order-on-load'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { requesterOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { getLoadJson } from './get-load'
import { load, loadKey } from './schemas'

export const discardLoadRoute = ({ sql, authenticator, log }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/:id/discard',
      ({ params: { id }, request, once }) =>
        once(async (tx) => {
          await discardLoad(tx, id, requesterOf(request).name)
          log.info({ load: id }, 'a held load was discarded')
          return jsonResponse(await namedFor(tx, request, await getLoadJson(tx, id)))
        }),
      {
        needs: 'admin',
        idempotent: true,
        params: loadKey,
        response: { 200: load, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['loads'],
          summary: 'Discard a held load',
          description: 'Nothing of it becomes visible. 409: the load is not held.',
          operationId: 'discardLoad',
        },
      },
    )

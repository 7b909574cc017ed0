import { Elysia } from 'elysia'
import type { Transaction } from '../../../../core/postgres/database'
import { authorization } from '../../callers/auth'
import { requesterOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { loadKey, orderedWork } from './schemas'

/** A route that queues work on a load. `order` returns the id of the work. */
export const orderLoadWorkRoute = <Action extends 'apply' | 'undo'>(
  { sql, authenticator }: Deps,
  action: Action,
  order: (tx: Transaction, id: string, by: string) => Promise<string>,
  detail: { summary: string; description: string; operationId: string },
) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      `/:id/${action}` as `/:id/${Action}`,
      ({ params: { id }, request, once }) =>
        once(async (tx) => {
          const workId = await order(tx, id, requesterOf(request).name)
          return jsonResponse(JSON.stringify({ work_id: workId }), { status: 202 })
        }),
      {
        needs: 'admin',
        idempotent: true,
        params: loadKey,
        response: { 202: orderedWork, ...keyedErrors, ...notFound, 409: errorBody },
        detail: { tags: ['loads'], ...detail },
      },
    )

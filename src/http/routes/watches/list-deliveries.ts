import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listDeliveries } from '../../../../drizzle/queries/watches/deliveries'
import { findWatch } from '../../../../drizzle/queries/watches/watches'
import { DELIVERY_STATUSES } from '../../../../drizzle/schema/values'
import { authorization } from '../../callers/auth'
import { findOwned } from '../../callers/requester-of'
import { jsonResponse, pageJson } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { after, count, keyedErrors, limit, next, notFound, oneOf, query } from '../../schemas'
import { delivery, watchKey } from './schemas'

export const listDeliveriesRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/watches/:id/deliveries',
    async ({ params: { id }, query: { status = null, limit = 100, after = null }, request }) => {
      await findOwned(request, id, (owner) => findWatch(sql, owner, id))
      const list = (atMost: number) => listDeliveries(sql, id, { status, after, limit: atMost })
      return jsonResponse(await pageJson('deliveries', limit, list, ({ id }) => id))
    },
    {
      needs: 'read',
      params: watchKey,
      query: query({
        status: Type.Optional(
          oneOf(DELIVERY_STATUSES, { description: 'Only deliveries with this status.', examples: ['failed'] }),
        ),
        limit: limit(500, 100),
        after,
      }),
      response: {
        200: Type.Object({ count, deliveries: Type.Array(delivery, { description: 'Newest first.' }), next }),
        ...keyedErrors,
        ...notFound,
      },
      detail: {
        tags: ['watches'],
        summary: 'List the changes that a watch matched',
        description:
          'Newest first, with the results of their delivery. They are kept for 30 days after they were delivered or given up.',
        operationId: 'listWatchDeliveries',
      },
    },
  )

import { Elysia } from 'elysia'
import { findWatch } from '../../../../drizzle/queries/watches/watches'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { findOwned } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { watchKey, watchWithPolygon } from './schemas'

export const getWatchRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/watches/:id',
    async ({ params: { id }, request }) => {
      const body = await findOwned(request, id, (owner) => findWatch(sql, owner, id))
      return jsonResponse(await namedFor(sql, request, body))
    },
    {
      needs: 'read',
      params: watchKey,
      response: { 200: watchWithPolygon, ...keyedErrors, ...notFound },
      detail: {
        tags: ['watches'],
        summary: 'Get one of your watches',
        description: 'With its polygon and the state of its webhook, and without its secret.',
        operationId: 'getWatch',
      },
    },
  )

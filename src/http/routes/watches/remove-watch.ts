import { Elysia } from 'elysia'
import { deleteWatch, findWatch } from '../../../../drizzle/queries/watches/watches'
import { authorization } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { findOwned } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { noteAlertsWatch } from './note-alerts-watch'
import { watchKey, watchWithPolygon } from './schemas'

export const removeWatchRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).delete(
    '/watches/:id',
    async ({ params: { id }, request }) => {
      const body = await findOwned(request, id, async (owner) => {
        const watch = await findWatch(sql, owner, id)
        return (await deleteWatch(sql, owner, id)) && watch
      })
      noteAlertsWatch(request, body)
      return jsonResponse(await namedFor(sql, request, body))
    },
    {
      needs: 'read',
      params: watchKey,
      response: { 200: watchWithPolygon, ...keyedErrors, ...notFound },
      detail: {
        tags: ['watches'],
        summary: 'Delete one of your watches',
        description: 'Its log is deleted too, and pending changes are not sent. Returns the watch as it was.',
        operationId: 'deleteWatch',
      },
    },
  )

import { Elysia } from 'elysia'
import { deleteWatch, findWatch } from '../../../../drizzle/queries/watches/watches'
import { isUuid } from '../../../parcels/is-uuid'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { ownerOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { noteAdminAct } from './note-admin-act'
import { watchKey, watchWithPolygon } from './schemas'

export const removeWatchRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).delete(
    '/watches/:id',
    async ({ params: { id }, request }) => {
      const owner = ownerOf(principalOf(request))
      const body = isUuid(id) ? await findWatch(sql, owner, id) : null
      if (body === null || !(await deleteWatch(sql, owner, id))) throw new HttpError(404, 'not found')
      noteAdminAct(request, body)
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

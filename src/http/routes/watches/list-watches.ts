import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listWatches } from '../../../../drizzle/queries/watches/watches'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { ownerOf, watcherOf } from '../../callers/requester-of'
import { jsonResponse, pageJson } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { after, count, keyedErrors, limit, next, oneOf, query } from '../../schemas'
import { watch } from './schemas'

export const listWatchesRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/watches',
    async ({ query: { mine, limit = 100, after = null }, request }) => {
      const principal = principalOf(request)
      const owner = mine === 'true' ? watcherOf(principal) : ownerOf(principal)
      const list = (atMost: number) => listWatches(sql, owner, { after, limit: atMost })
      return jsonResponse(await namedFor(sql, request, await pageJson('watches', limit, list, ({ id }) => id)))
    },
    {
      needs: 'read',
      query: query({
        mine: Type.Optional(
          oneOf(['true', 'false'], {
            description: '`true`: admins, too, get only the watches of their own account or key.',
            examples: ['true'],
          }),
        ),
        limit: limit(500, 100),
        after,
      }),
      response: {
        200: Type.Object({ count, watches: Type.Array(watch, { description: 'Newest first.' }), next }),
        ...keyedErrors,
      },
      detail: {
        tags: ['watches'],
        summary: 'List your watches',
        description:
          'The watches of your account, or of your key if it has no account, newest first. Admins get the watches of all callers.',
        operationId: 'listWatches',
      },
    },
  )

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listMatches } from '../../../../drizzle/queries/matches/matches'
import { authorization, principalOf } from '../../callers/auth'
import { ownerOf } from '../../callers/requester-of'
import { jsonResponse, pageJson } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { after, count, keyedErrors, limit, next, query } from '../../schemas'
import { match } from './schemas'

export const listMatchesRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/matches',
    async ({ query: { limit = 100, after = null }, request }) => {
      const owner = ownerOf(principalOf(request))
      const list = (atMost: number) => listMatches(sql, owner, { after, limit: atMost })
      return jsonResponse(await pageJson('matches', limit, list, ({ id }) => id))
    },
    {
      needs: 'read',
      query: query({ limit: limit(500, 100), after }),
      response: {
        200: Type.Object({ count, matches: Type.Array(match, { description: 'Newest first.' }), next }),
        ...keyedErrors,
      },
      detail: {
        tags: ['matches'],
        summary: 'List your matches',
        description:
          'Those of your account, or of your key if it has no account, newest first. Admins get all of them.',
        operationId: 'listMatches',
      },
    },
  )

import { Elysia } from 'elysia'
import { deleteMatch } from '../../../../drizzle/queries/matches/matches'
import { cancelWork } from '../../../../drizzle/queries/work/cancel-work'
import { authorization, principalOf } from '../../callers/auth'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { matchOf } from './get-match'
import { match, matchKey } from './schemas'

export const removeMatchRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).delete(
    '/matches/:id',
    async ({ params: { id }, request }) => {
      const body = await matchOf(sql, request, id)
      const isCancelled = await cancelWork(sql, id, `cancelled by ${principalOf(request).actor}`)
      if (isCancelled) return jsonResponse(await matchOf(sql, request, id))
      await deleteMatch(sql, id)
      return jsonResponse(body)
    },
    {
      needs: 'read',
      params: matchKey,
      response: { 200: match, ...keyedErrors, ...notFound },
      detail: {
        tags: ['matches'],
        summary: 'Cancel or delete one of your matches',
        description:
          'A queued or running match is cancelled. One that has ended is deleted with its rows, and is returned as it was. Its upload is deleted if no other match has it.',
        operationId: 'deleteMatch',
      },
    },
  )

import { Elysia } from 'elysia'
import { findMatch } from '../../../../drizzle/queries/matches/matches'
import { authorization } from '../../callers/auth'
import { findOwned } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { match, matchKey } from './schemas'

export const getMatchRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get('/matches/:id', async ({ params: { id }, request }) => jsonResponse(await matchOf(sql, request, id)), {
      needs: 'read',
      params: matchKey,
      response: { 200: match, ...keyedErrors, ...notFound },
      detail: {
        tags: ['matches'],
        summary: 'Get one of your matches',
        description: 'Its progress, and the number of rows by outcome when it is done.',
        operationId: 'getMatch',
      },
    })

/**
 * A match of this caller as JSON text.
 *
 * @throws HttpError 404
 */
export const matchOf = (sql: Deps['sql'], request: Request, id: string): Promise<string> =>
  findOwned(request, id, (owner) => findMatch(sql, owner, id))

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listPortfolios } from '../../../../drizzle/queries/portfolios/portfolios'
import { authorization, principalOf } from '../../callers/auth'
import { watcherOf } from '../../callers/requester-of'
import { jsonResponse, pageJson } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { after, count, keyedErrors, limit, next, query } from '../../schemas'
import { portfolio } from './schemas'

export const listPortfoliosRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/portfolios',
    async ({ query: { limit = 100, after = null }, request }) => {
      const owner = watcherOf(principalOf(request))
      const list = (atMost: number) => listPortfolios(sql, owner, { after, limit: atMost })
      return jsonResponse(await pageJson('portfolios', limit, list, ({ id }) => id))
    },
    {
      needs: 'read',
      query: query({ limit: limit(500, 100), after }),
      response: {
        200: Type.Object({ count, portfolios: Type.Array(portfolio, { description: 'Newest first.' }), next }),
        ...keyedErrors,
      },
      detail: {
        tags: ['portfolios'],
        summary: 'List your portfolios',
        description: 'Those of your account, or of your key if it has no account, newest first.',
        operationId: 'listPortfolios',
      },
    },
  )

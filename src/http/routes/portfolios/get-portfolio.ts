import { Elysia } from 'elysia'
import { authorization, principalOf } from '../../callers/auth'
import { watcherOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { portfolioOf } from './portfolio-of'
import { portfolioKey, portfolioWithParcels } from './schemas'

export const getPortfolioRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get(
      '/portfolios/:id',
      async ({ params: { id }, request }) => jsonResponse(await portfolioOf(sql, watcherOf(principalOf(request)), id)),
      {
        needs: 'read',
        params: portfolioKey,
        response: { 200: portfolioWithParcels, ...keyedErrors, ...notFound },
        detail: {
          tags: ['portfolios'],
          summary: 'Get one of your portfolios',
          description: 'With its parcels, their notes and tags, and the main fields of their records as they are now.',
          operationId: 'getPortfolio',
        },
      },
    )

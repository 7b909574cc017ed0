import { Elysia } from 'elysia'
import { deletePortfolio } from '../../../../drizzle/queries/portfolios/portfolios'
import { authorization, principalOf } from '../../callers/auth'
import { watcherOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { portfolioOf } from './portfolio-of'
import { portfolioKey, portfolioWithParcels } from './schemas'

export const removePortfolioRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).delete(
    '/portfolios/:id',
    async ({ params: { id }, request }) => {
      const owner = watcherOf(principalOf(request))
      const body = await portfolioOf(sql, owner, id)
      await deletePortfolio(sql, owner, id)
      return jsonResponse(body)
    },
    {
      needs: 'read',
      params: portfolioKey,
      response: { 200: portfolioWithParcels, ...keyedErrors, ...notFound },
      detail: {
        tags: ['portfolios'],
        summary: 'Delete one of your portfolios',
        description: 'Its notes and tags are deleted with it. Returns it as it was.',
        operationId: 'deletePortfolio',
      },
    },
  )

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { isUuid } from '../../../../core/text/uuid'
import { renamePortfolio } from '../../../../drizzle/queries/portfolios/portfolios'
import { authorization, principalOf } from '../../callers/auth'
import { watcherOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import type { Deps } from '../../deps'
import { closed, keyedErrors, notFound } from '../../schemas'
import { portfolioOf } from './portfolio-of'
import { name, portfolioKey, portfolioWithParcels } from './schemas'

export const renamePortfolioRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).patch(
    '/portfolios/:id',
    async ({ params: { id }, body, request }) => {
      const owner = watcherOf(principalOf(request))
      if (isUuid(id)) await renamePortfolio(sql, owner, id, body.name.trim())
      return jsonResponse(await portfolioOf(sql, owner, id))
    },
    {
      needs: 'read',
      params: portfolioKey,
      body: Type.Object(
        { name },
        { ...closed, description: 'The new name.', examples: [{ name: 'Solar sites, 2027' }] },
      ),
      response: { 200: portfolioWithParcels, ...keyedErrors, ...notFound },
      detail: {
        tags: ['portfolios'],
        summary: 'Rename one of your portfolios',
        description: 'Returns it with its parcels.',
        operationId: 'renamePortfolio',
      },
    },
  )

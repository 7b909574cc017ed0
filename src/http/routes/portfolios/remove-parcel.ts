import { Elysia } from 'elysia'
import { isUuid } from '../../../../core/text/uuid'
import { removePortfolioParcel } from '../../../../drizzle/queries/portfolios/portfolios'
import { authorization, principalOf } from '../../callers/auth'
import { watcherOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { keyedErrors, notFound } from '../../schemas'
import { portfolioOf } from './portfolio-of'
import { portfolioParcelKey, portfolioWithParcels } from './schemas'

export const removePortfolioParcelRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).delete(
    '/portfolios/:id/parcels/:source/:parcel',
    async ({ params: { id, source, parcel }, request }) => {
      const owner = watcherOf(principalOf(request))
      const isRemoved = isUuid(id) && (await removePortfolioParcel(sql, owner, id, { source, sourceParcelId: parcel }))
      if (!isRemoved) throw new HttpError(404, 'not found')
      return jsonResponse(await portfolioOf(sql, owner, id))
    },
    {
      needs: 'read',
      params: portfolioParcelKey,
      response: { 200: portfolioWithParcels, ...keyedErrors, ...notFound },
      detail: {
        tags: ['portfolios'],
        summary: 'Remove a parcel from one of your portfolios',
        description: 'Its note and tags are deleted. Returns the portfolio.',
        operationId: 'removePortfolioParcel',
      },
    },
  )

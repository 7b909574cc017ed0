import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { PORTFOLIO_BOUNDS } from '../../../../core/bounds'
import { isUuid } from '../../../../core/text/uuid'
import { putPortfolioParcel } from '../../../../drizzle/queries/portfolios/portfolios'
import { authorization, principalOf } from '../../callers/auth'
import { watcherOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody, HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { closed, keyedErrors, NO_IDEMPOTENCY_KEY, notFound, sourceParcelId, sourceSlug } from '../../schemas'
import { portfolioOf } from './portfolio-of'
import { note, portfolioKey, portfolioWithParcels, tags } from './schemas'

export const putPortfolioParcelRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).post(
    '/portfolios/:id/parcels',
    async ({ params: { id }, body, request }) => {
      const owner = watcherOf(principalOf(request))
      const { source, source_parcel_id: sourceParcelId, note = '', tags = [] } = body
      const entry = { source, sourceParcelId, note, tags: [...new Set(tags.map((tag) => tag.trim()))] }
      const { parcels } = PORTFOLIO_BOUNDS
      const outcome = isUuid(id)
        ? await sql.begin((tx) => putPortfolioParcel(tx, owner, id, entry, parcels))
        : 'unknown'
      if (outcome === 'unknown') throw new HttpError(404, 'not found')
      if (outcome === 'full') throw new HttpError(409, `the portfolio has ${parcels} parcels already: remove one`)
      return jsonResponse(await portfolioOf(sql, owner, id))
    },
    {
      needs: 'read',
      params: portfolioKey,
      body: Type.Object(
        { source: sourceSlug, source_parcel_id: sourceParcelId, note: Type.Optional(note), tags: Type.Optional(tags) },
        {
          ...closed,
          description: 'A parcel, with its note and tags. Omitted: empty.',
          examples: [{ source: 'sample-county', source_parcel_id: '12-0345-0670', tags: ['called'] }],
        },
      ),
      response: { 200: portfolioWithParcels, ...keyedErrors, ...notFound, 409: errorBody },
      detail: {
        ...NO_IDEMPOTENCY_KEY,
        tags: ['portfolios'],
        summary: 'Add a parcel to one of your portfolios',
        description:
          'If the portfolio has the parcel already, its note and tags are replaced. Returns the portfolio. 404 if there is no such portfolio or parcel.',
        operationId: 'putPortfolioParcel',
      },
    },
  )

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { PORTFOLIO_BOUNDS } from '../../../../core/bounds'
import { addPortfolio } from '../../../../drizzle/queries/portfolios/portfolios'
import { authorization, principalOf } from '../../callers/auth'
import { watcherOf } from '../../callers/requester-of'
import { jsonResponse } from '../../convention/body/json'
import { errorBody, HttpError } from '../../convention/errors'
import { idempotency } from '../../convention/idempotency'
import type { Deps } from '../../deps'
import { closed, keyedErrors } from '../../schemas'
import { portfolioOf } from './portfolio-of'
import { name, portfolioWithParcels } from './schemas'

export const addPortfolioRoute = ({ sql, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .use(idempotency(sql))
    .post(
      '/portfolios',
      ({ body, request, once }) =>
        once(async (tx) => {
          const principal = principalOf(request)
          const owner = watcherOf(principal)
          const { most } = PORTFOLIO_BOUNDS
          const id = await addPortfolio(tx, { owner, accountId: principal.accountId }, { name: body.name.trim(), most })
          if (id === null) throw new HttpError(409, `there are ${most} portfolios already: delete one`)
          return jsonResponse(await portfolioOf(tx, owner, id), { status: 201 })
        }),
      {
        needs: 'read',
        idempotent: true,
        body: Type.Object({ name }, { ...closed, description: 'A portfolio.', examples: [{ name: 'Solar sites' }] }),
        response: { 201: portfolioWithParcels, ...keyedErrors, 409: errorBody },
        detail: {
          tags: ['portfolios'],
          summary: 'Add a portfolio',
          description: `A portfolio keeps parcels with notes and tags. Everyone with a key or session of your account can read and change it. An account, or a key without an account, can have at most ${PORTFOLIO_BOUNDS.most}.`,
          operationId: 'addPortfolio',
        },
      },
    )

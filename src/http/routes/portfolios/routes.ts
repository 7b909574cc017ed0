import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { addPortfolioRoute } from './add-portfolio'
import { getPortfolioRoute } from './get-portfolio'
import { listPortfoliosRoute } from './list-portfolios'
import { putPortfolioParcelRoute } from './put-parcel'
import { removePortfolioParcelRoute } from './remove-parcel'
import { removePortfolioRoute } from './remove-portfolio'
import { renamePortfolioRoute } from './rename-portfolio'
import { savedSearchRoutes } from './saved-searches'

/** Parcels and searches that people save. */
export const portfolioRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(listPortfoliosRoute(deps))
    .use(addPortfolioRoute(deps))
    .use(getPortfolioRoute(deps))
    .use(renamePortfolioRoute(deps))
    .use(removePortfolioRoute(deps))
    .use(putPortfolioParcelRoute(deps))
    .use(removePortfolioParcelRoute(deps))
    .use(savedSearchRoutes(deps))

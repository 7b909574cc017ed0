import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { addMatchRoute } from './add-match'
import { addUploadRoute } from './add-upload'
import { getMatchRoute } from './get-match'
import { getMatchResultsRoute } from './get-results'
import { listMatchesRoute } from './list-matches'
import { listMatchRowsRoute } from './list-rows'
import { removeMatchRoute } from './remove-match'
import { retryMatchRoute } from './retry-match'

/** Callers' lists, and the parcels that match their rows. */
export const matchRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(addUploadRoute(deps))
    .use(listMatchesRoute(deps))
    .use(addMatchRoute(deps))
    .use(getMatchRoute(deps))
    .use(listMatchRowsRoute(deps))
    .use(getMatchResultsRoute(deps))
    .use(retryMatchRoute(deps))
    .use(removeMatchRoute(deps))

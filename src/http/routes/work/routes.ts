import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { cancelWorkRoute } from './cancel-work'
import { getRejectsRoute } from './get-rejects'
import { getWorkRoute } from './get-work'
import { listWorkRoute } from './list-work'

/** Long-running work of every kind. Crawls, tile builds and the search index also have their own routes. */
export const workRoutes = (deps: Deps) =>
  new Elysia({ normalize: false, prefix: '/work' })
    .use(listWorkRoute(deps))
    .use(getWorkRoute(deps))
    .use(getRejectsRoute(deps))
    .use(cancelWorkRoute(deps))

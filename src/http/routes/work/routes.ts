import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { cancelWorkRoute } from './cancel-work'
import { getWorkRoute } from './get-work'
import { listWorkRoute } from './list-work'

/** Long work of every kind. Crawls, tile builds and the search index have routes of their own too. */
export const workRoutes = (deps: Deps) =>
  new Elysia({ normalize: false, prefix: '/work' })
    .use(listWorkRoute(deps))
    .use(getWorkRoute(deps))
    .use(cancelWorkRoute(deps))

import { Elysia } from 'elysia'
import type { Deps } from '../deps'
import { ogcCollectionRoutes } from './collections'
import { ogcItemRoutes } from './items'
import { ogcLandingRoutes } from './landing'

/** OGC API - Features. These routes have no version prefix: the standard has its own. */
export const ogcRoutes = (deps: Deps) =>
  new Elysia({ normalize: false }).use(ogcLandingRoutes(deps)).use(ogcCollectionRoutes(deps)).use(ogcItemRoutes(deps))

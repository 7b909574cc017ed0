import { Elysia } from 'elysia'
import type { Deps } from '../../../deps'
import { buildTilesRoute } from './build-tiles'
import { listTileBuildsRoute } from './list-tile-builds'

export const tileBuildRoutes = (deps: Deps) =>
  new Elysia({ normalize: false }).use(listTileBuildsRoute(deps)).use(buildTilesRoute(deps))

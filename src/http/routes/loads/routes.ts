import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { addLoadRoutes } from './add-load'
import { applyLoadRoute } from './apply-load'
import { discardLoadRoute } from './discard-load'
import { getLoadRoute } from './get-load'
import { listLoadsRoute } from './list-loads'
import { undoLoadRoute } from './undo-load'

export const loadRoutes = (deps: Deps) =>
  new Elysia({ normalize: false, prefix: '/loads' })
    .use(listLoadsRoute(deps))
    .use(addLoadRoutes(deps))
    .use(getLoadRoute(deps))
    .use(applyLoadRoute(deps))
    .use(discardLoadRoute(deps))
    .use(undoLoadRoute(deps))

import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { getPageRoute } from './get-page'
import { getParcelRoute } from './get-parcel'
import { listHistoryRoute } from './list-history'
import { listNeighborsRoute } from './list-neighbors'
import { listPagesRoute } from './list-pages'
import { listParcelsRoute } from './list-parcels'
import { listParcelsWithinRoute } from './list-parcels-within'
import { listProvenanceRoute } from './list-provenance'

export const parcelRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(listParcelsRoute(deps))
    .use(listParcelsWithinRoute(deps))
    .use(getParcelRoute(deps))
    .use(listNeighborsRoute(deps))
    .use(listHistoryRoute(deps))
    .use(listProvenanceRoute(deps))
    .use(listPagesRoute(deps))
    .use(getPageRoute(deps))

import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { getPageRoute } from './get-page'
import { getParcelRoute } from './get-parcel'
import { listHistoryRoute } from './list-history'
import { listPagesRoute } from './list-pages'
import { listParcelsRoute } from './list-parcels'
import { listProvenanceRoute } from './list-provenance'

export const parcelRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(listParcelsRoute(deps))
    .use(getParcelRoute(deps))
    .use(listHistoryRoute(deps))
    .use(listProvenanceRoute(deps))
    .use(listPagesRoute(deps))
    .use(getPageRoute(deps))

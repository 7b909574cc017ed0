import { undoCause } from '../../../orders/order-on-load'
import type { Deps } from '../../deps'
import { orderLoadWorkRoute } from './order-load-work'

export const undoLoadRoute = (deps: Deps) =>
  orderLoadWorkRoute(deps, 'undo', undoCause, {
    summary: 'Undo a load, a crawl or a scrape job',
    description:
      'Restores the former value of every field that it changed, as new changes. Parcels that it created are retired, and parcels that it retired return. A field that was changed again later keeps its value; the result of the work counts and lists these fields. `id` can also be that of a crawl, a scrape job, a replay or the work of an undo: an undo of an undo brings the changes back, and the load is applied again. 409: the load is not applied, its changes are undone already or compacted (`CHANGES_KEEP`), its source is retired, or another load or a crawl of its source is running.',
    operationId: 'undoLoad',
  })

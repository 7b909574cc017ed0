import { applyHeldLoad } from '../../../orders/order-on-load'
import type { Deps } from '../../deps'
import { orderLoadWorkRoute } from './order-load-work'

export const applyLoadRoute = (deps: Deps) =>
  orderLoadWorkRoute(deps, 'apply', applyHeldLoad, {
    summary: 'Apply a held load',
    description:
      'A worker applies it. A load that failed while it was applied continues where it stopped, unless a newer load of its source exists (`can_apply`). 409: the load is not held, something was undone since it was compared, or another load or a crawl of its source is running.',
    operationId: 'applyLoad',
  })

import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { addWatchRoute } from './add-watch'
import { changeWatchRoute } from './change-watch'
import { getWatchRoute } from './get-watch'
import { listDeliveriesRoute } from './list-deliveries'
import { listWatchesRoute } from './list-watches'
import { removeWatchRoute } from './remove-watch'
import { replayDeliveryRoute } from './replay-delivery'
import { sendWatchRoute } from './send-watch'
import { testWatchRoute } from './test-watch'

export const watchRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(listWatchesRoute(deps))
    .use(addWatchRoute(deps))
    .use(getWatchRoute(deps))
    .use(changeWatchRoute(deps))
    .use(removeWatchRoute(deps))
    .use(listDeliveriesRoute(deps))
    .use(replayDeliveryRoute(deps))
    .use(sendWatchRoute(deps))
    .use(testWatchRoute(deps))

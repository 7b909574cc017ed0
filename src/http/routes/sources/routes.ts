import { Elysia } from 'elysia'
import type { Deps } from '../../deps'
import { addSourceRoute } from './add-source'
import { dryRunRoute } from './dry-run'
import { getRunsRoute } from './get-runs'
import { getSourceRoute } from './get-source'
import { listErrorHistoryRoute } from './list-error-history'
import { listSourceHealthRoute } from './list-source-health'
import { listSourcesRoute } from './list-sources'
import { proofRoutes } from './proofs'
import { retireSourceRoutes } from './retire-source'
import { unreadLabelRoutes } from './unread-labels'
import { updateRefreshPolicyRoute } from './update-refresh-policy'
import { updateSourceRoute } from './update-source'

export const sourceRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(listSourcesRoute(deps))
    .use(addSourceRoute(deps))
    .use(getSourceRoute(deps))
    .use(getRunsRoute(deps))
    .use(unreadLabelRoutes(deps))
    .use(updateSourceRoute(deps))
    .use(retireSourceRoutes(deps))
    .use(updateRefreshPolicyRoute(deps))
    .use(dryRunRoute(deps))
    .use(proofRoutes(deps))
    .use(listErrorHistoryRoute(deps))
    .use(listSourceHealthRoute(deps))

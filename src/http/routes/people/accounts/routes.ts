import { Elysia } from 'elysia'
import type { Deps } from '../../../deps'
import { listAccountsRoute } from './list-accounts'
import { listActionsRoute } from './list-actions'
import { removeAccountRoute } from './remove-account'
import { updateAccountRoute } from './update-account'

export const accountsRoutes = (deps: Deps) =>
  new Elysia({ normalize: false })
    .use(listAccountsRoute(deps))
    .use(listActionsRoute(deps))
    .use(updateAccountRoute(deps))
    .use(removeAccountRoute(deps))
